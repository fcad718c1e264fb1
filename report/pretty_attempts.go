package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// attempts writes every attempt with its phases.
func (v *prettyView) attempts(r *checks.Result) {
	for i := range r.Trips {
		t := &r.Trips[i]
		head := textf("trip %d: %s", "viagem %d: %s", i+1, Inert(string(t.Finding), 40)).In(v.o.Lang)
		if t.WaitMS > 0 {
			head += textf(", after %s", ", após %s", millis(t.WaitMS)).In(v.o.Lang)
		}
		v.p.line(detailIndent, nil, head)
		for j := range t.Attempts {
			v.p.line(detailIndent+2, v.p.dim, attemptLine(j+1, &t.Attempts[j], v.o.Lang))
		}
	}
}

func attemptLine(n int, a *checks.Attempt, lang Lang) string {
	outcome := "ok"
	if a.Kind != nil {
		outcome = Inert(string(*a.Kind), 40)
	}
	if a.Detail != nil {
		outcome += " " + Inert(*a.Detail, 60)
	}
	if a.Status != nil {
		outcome += " " + strconv.Itoa(*a.Status)
	}
	parts := []string{fmt.Sprintf("#%d +%s", n, millis(a.StartMS)), outcome}
	if a.WaitMS > 0 {
		reason := opt(a.WaitReason)
		name, ok := waitReasons[reason]
		if !ok {
			name = Text{Inert(reason, 40), Inert(reason, 40)}
		}
		parts = append(parts, textf("waited %s (%s)", "esperou %s (%s)", millis(a.WaitMS), name.In(lang)).In(lang))
	}
	if a.Requests > 1 {
		parts = append(parts, textf("%d requests", "%d pedidos", a.Requests).In(lang))
	}
	for _, phase := range []struct {
		name string
		ms   *int64
	}{{"dns", a.DNSMS}, {"connect", a.ConnectMS}, {"tls", a.TLSMS}, {"ttfb", a.TTFBMS}, {"body", a.BodyMS}, {"total", &a.TotalMS}} {
		if phase.ms != nil {
			parts = append(parts, phase.name+" "+millis(*phase.ms))
		}
	}
	return strings.Join(append(parts, strconv.FormatInt(a.Bytes, 10)+" B"), "  ")
}
