package expect

import (
	"context"
	"time"

	"github.com/fonteviva/fonteviva/checks/source"
)

// maxDuration bounds the time of the successful attempt. It only warns unless
// it is told otherwise: a slow answer is an answer.
type maxDuration struct {
	max      time.Duration
	severity Severity
}

var maxDurationTable = source.NewObject("max_duration",
	source.Field[maxDuration]{Name: "max", Form: source.TimeFrom(time.Millisecond), Doc: "the longest time, such as 2s", Required: true,
		Decode: func(d *maxDuration, n source.Node) { d.readMax(n) }},
	source.Field[maxDuration]{Name: "severity", Form: severityForm, Doc: "fail or warn (default)",
		Decode: func(d *maxDuration, n source.Node) { decodeSeverity(&d.severity, n) }},
)

func (d *maxDuration) readMax(n source.Node) {
	v, ok := n.Duration(time.Millisecond)
	source.Optional(&d.max, v, ok)
}

func decodeMaxDuration(s *Spec, n source.Node) {
	d := &maxDuration{severity: Warn}
	if n.IsMapping() {
		maxDurationTable.Decode(n, d)
	} else {
		d.readMax(n)
	}
	s.add(d)
}

func decodeSeverity(into *Severity, n source.Node) {
	if word, ok := n.Enum(string(Fail), string(Warn)); ok {
		*into = Severity(word)
	}
}

func (d *maxDuration) evaluate(_ context.Context, o *Observation, f *findings) {
	if o.Duration > d.max {
		f.add(Mismatch{Code: "max_duration", Severity: d.severity,
			Want: "at most " + source.FormatDuration(d.max), Got: o.Duration.Round(time.Microsecond).String()})
	}
}
