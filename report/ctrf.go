package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/fonteviva/fonteviva/checks"
)

// writeCTRF writes the Common Test Report Format, specification 0.0: only the
// keys that its schema knows, our own facts under extra.
func writeCTRF(w io.Writer, doc *Document, o Options) error {
	c := &ctrf{doc: doc, o: o}
	b := make([]byte, 0, flushAt+maxDiagnosis)
	b = appendStringKey(append(b, '{'), "reportFormat", "CTRF")
	b = appendStringKey(b, "specVersion", "0.0.0")
	b = appendStringKey(b, "reportId", ctrfID(doc))
	b = appendTime(appendKey(b, "timestamp"), doc.Run.StartedAt)
	b = appendStringKey(b, "generatedBy", "fonteviva")
	b = append(appendKey(b, "results"), `{"tool":{"name":"fonteviva"}`...)
	b = append(c.summary(append(appendKey(b, "summary"), '{')), ",\n\"tests\":["...)
	for i := range doc.Results {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(c.test(append(b, '\n', '{'), &doc.Results[i]), '}')
		var err error
		if b, err = flush(w, b, flushAt); err != nil {
			return err
		}
	}
	b = c.whole(b)
	b = append(b, "\n],"...)
	b = append(c.extra(append(b, `"extra":{`...)), "}}}\n"...)
	_, err := flush(w, b, 0)
	return err
}

type ctrf struct {
	doc *Document
	o   Options
}

// ctrfID is a UUID (version 8, RFC 9562 §5.8) that the run's trace and start
// determine, so that a report written twice is the same report.
func ctrfID(doc *Document) string {
	sum := sha256.Sum256([]byte("fonteviva " + doc.Run.Trace + doc.Run.StartedAt.String()))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// status is a result's word. What is neither a pass nor a failure, and was not
// skipped on purpose, is other.
func (c *ctrf) status(r *checks.Result) string {
	switch d := c.doc.disposition("ctrf", r); {
	case d == Fail:
		return "failed"
	case d == Skip:
		return "skipped"
	case !r.Measured, d == Warn && r.Finding == checks.Drift:
		return "other"
	}
	return "passed"
}

// overcame reports whether a result took more than one try to be what it is.
func overcame(r *checks.Result) bool {
	return r.Unstable || r.Retrieval != nil && len(r.Retrieval.Anomalies) > 0
}

func (c *ctrf) summary(b []byte) []byte {
	counts, flaky := map[string]int{}, 0
	for i := range c.doc.Results {
		status := c.status(&c.doc.Results[i])
		counts[status]++
		if status == "passed" && overcame(&c.doc.Results[i]) {
			flaky++
		}
	}
	whole, suites := len(wholeReasons(c.doc)), len(byOrigin(c.doc.Results))
	if counts["failed"] += whole; whole > 0 {
		suites++
	}
	b = appendInt(b, "tests", len(c.doc.Results)+whole)
	for _, status := range []string{"passed", "failed", "skipped", "pending", "other"} {
		b = appendInt(b, status, counts[status])
	}
	start := c.doc.Run.StartedAt.UnixMilli()
	b = appendInt(b, "flaky", flaky)
	b = appendInt(b, "suites", suites)
	b = appendInt(b, "start", start)
	b = appendInt(b, "stop", start+c.doc.Run.DurationMS)
	return append(appendInt(b, "duration", c.doc.Run.DurationMS), '}')
}

// whole appends a test for each thing that fails the run and no result tells.
func (c *ctrf) whole(b []byte) []byte {
	for i, r := range wholeReasons(c.doc) {
		if i > 0 || len(c.doc.Results) > 0 {
			b = append(b, ',')
		}
		b = appendStringKey(append(b, '\n', '{'), "name", wholeName(&r))
		b = appendStringKey(b, "status", "failed")
		b = appendInt(b, "duration", 0)
		b = append(appendString(append(appendKey(b, "suite"), '['), wholeGroup), ']')
		b = appendStringKey(b, "message", wholeText(&r, c.o.Lang))
		b = append(appendStringKey(b, "rawStatus", wholeType(&r)), '}')
	}
	return b
}

func (c *ctrf) test(b []byte, r *checks.Result) []byte {
	status := c.status(r)
	b = appendStringKey(b, "name", displayName(r))
	b = appendStringKey(b, "status", status)
	b = appendInt(b, "duration", r.DurationMS)
	b = append(appendString(append(appendKey(b, "suite"), '['), Inert(r.Origin, 0)), ']')
	if status != "passed" || !plain(r) {
		b = appendStringKey(b, "message", headline(r, c.o.Lang))
		b = appendStringKey(b, "trace", shorten(detailText(r, c.o), maxDiagnosis))
	}
	b = appendStringKey(b, "rawStatus", r.Finding)
	b = appendList(b, "tags", r.Tags, appendWord)
	b = appendStringKey(b, "filePath", Inert(relative(r.File, c.o.Dir), 400))
	b = appendInt(b, "line", r.Line)
	b = c.attempts(b, r)
	b = appendBool(b, "flaky", status == "passed" && overcame(r))
	b = append(appendKey(b, "extra"), '{')
	b = appendStringKey(b, "trace", r.Trace)
	b = appendStringKey(b, "disposition", c.doc.disposition("ctrf", r))
	b = appendBool(b, "asked", r.Asked)
	b = appendBool(b, "measured", r.Measured)
	b = appendOptString(b, "kind", r.Kind)
	return append(appendOptString(b, "detail", r.Detail), '}')
}

// attempts lists the attempts before the one that decided.
func (c *ctrf) attempts(b []byte, r *checks.Result) []byte {
	total := 0
	for i := range r.Trips {
		total += len(r.Trips[i].Attempts)
	}
	if total < 2 {
		return b
	}
	b = appendInt(b, "retries", total-1)
	b = append(appendKey(b, "retryAttempts"), '[')
	n := 0
	for i := range r.Trips {
		for k := range r.Trips[i].Attempts {
			if n++; n == total {
				break
			}
			if n > 1 {
				b = append(b, ',')
			}
			b = c.attempt(append(b, '{'), n, &r.Trips[i], k)
		}
	}
	return append(b, ']')
}

func (c *ctrf) attempt(b []byte, n int, t *checks.Trip, k int) []byte {
	a, status := &t.Attempts[k], "passed"
	if a.Kind != nil || t.Finding == checks.Drift {
		status = "failed"
	}
	b = appendInt(b, "attempt", n)
	b = appendStringKey(b, "status", status)
	b = appendInt(b, "duration", a.TotalMS)
	return append(appendStringKey(b, "message", attemptLine(k+1, a, c.o.Lang)), '}')
}

// extra is what the run says beside its tests.
func (c *ctrf) extra(b []byte) []byte {
	run := &c.doc.Run
	b = appendStringKey(b, "trace", run.Trace)
	b = appendStringKey(b, "profile", run.Profile)
	b = appendInt(b, "exitCode", run.ExitCode)
	b = append(appendSummaryMembers(append(appendKey(b, "summary"), '{'), &c.doc.Summary), '}')
	return appendList(b, "degraded", run.Degraded, appendDegradation)
}
