package checks

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/verdict"
)

// leg is one trip, as one probe sees it: what came, what did not hold of it,
// and what this trip alone says.
type leg struct {
	wait       time.Duration // the pause before it
	queued     time.Duration // waiting for a place after that pause
	answer     *fetch.Answer
	err        error
	finding    Finding
	mismatches []expect.Mismatch
	seen       *expect.Observation // what the mismatches were found in; nil when nothing was
}

// trip gives the attempts of the leg, whichever way it ended.
func (l *leg) trip() *fetch.Trip {
	if l.answer != nil {
		return &l.answer.Trip
	}
	if fe := verdict.Find(l.err); fe != nil {
		return &fe.Trip
	}
	return &fetch.Trip{}
}

// judgeLeg finds out what one trip says about one probe.
func (r *runner) judgeLeg(ctx context.Context, pl *planned, l leg) leg {
	if l.err == nil {
		l.mismatches, l.seen, l.err = r.measure(ctx, pl, l.answer)
	}
	if l.err == nil {
		l.finding = OK
		for _, m := range l.mismatches {
			if m.Severity == expect.Fail {
				l.finding = Drift
			}
		}
		return l
	}
	l.answer, l.err = nil, r.redactError(cutBy(l.err))
	l.finding = Finding(verdict.Of(l.err).Verdict)
	return l
}

// measure says what does not hold of an answer. Where a rule of the origin says
// what it means, the expectations have nothing to judge; "ok" leaves it to them.
// The observation is what they have judged.
func (r *runner) measure(ctx context.Context, pl *planned, a *fetch.Answer) ([]expect.Mismatch, *expect.Observation, error) {
	if a.Rule != nil {
		switch a.Rule.Means {
		case fetch.MeansDrift:
			return []expect.Mismatch{{Code: "answers", Severity: expect.Fail, Want: "an answer that " + a.Rule.Name + " does not match",
				Got: "status " + strconv.Itoa(a.Status) + ", which it calls drift"}}, nil, nil
		case fetch.MeansAbsent:
			return absent(pl.probe.Empty, a), nil, nil
		}
	}
	return r.compare(ctx, pl, a)
}

// absent is what a legitimately absent answer leads to.
func absent(empty Empty, a *fetch.Answer) []expect.Mismatch {
	m := expect.Mismatch{Code: "empty", Severity: expect.Warn, Want: "data", Got: "none, which is legitimate: " + a.Rule.Name}
	switch empty {
	case EmptyOK:
		return nil
	case EmptyFail:
		m.Severity = expect.Fail
	}
	return []expect.Mismatch{m}
}

// compare evaluates the expectations, and notes a redirect that led elsewhere.
func (r *runner) compare(ctx context.Context, pl *planned, a *fetch.Answer) ([]expect.Mismatch, *expect.Observation, error) {
	o := &expect.Observation{Status: a.Status, Header: a.Header, Body: a.Body, Duration: lastAttempt(&a.Trip), Now: a.RetrievedAt, TLS: observedTLS(a.TLS), Redact: r.plan.redactor.String}
	o.Request = expect.Request{Method: cmp.Or(pl.request.Method, http.MethodGet), URL: a.URL}
	if err := observeBody(o, pl.probe, a); err != nil {
		return nil, nil, err
	}
	observeMCP(o, pl.probe, a)
	mismatches, err := pl.probe.Expect.Evaluate(ctx, o)
	if err != nil {
		trip := a.Trip
		trip.Stopped = fetch.StopCancelled
		return nil, nil, &fetch.Error{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Detail: fetch.Cancelled, Status: a.Status, URL: a.URL, Trip: trip, Err: context.Cause(ctx)}
	}
	if moved(cmp.Or(a.Mirror, a.URL), a.FinalURL) {
		got := a.FinalURL
		if a.Withheld {
			got += " (declared headers withheld)"
		}
		mismatches = append(mismatches, expect.Mismatch{Code: "redirect.moved", Severity: expect.Warn,
			Want: r.plan.redactor.String(place(a.URL)), Got: r.plan.redactor.String(got)})
	}
	return append(mismatches, mcpMismatches(pl.probe, a)...), o, nil
}

// observedTLS is what the expectations see of a handshake.
func observedTLS(info *fetch.TLSInfo) *expect.TLS {
	if info == nil {
		return nil
	}
	return &expect.TLS{Version: strings.TrimPrefix(tls.VersionName(info.Version), "TLS "), Issuer: info.Issuer, NotAfter: info.NotAfter}
}

// lastAttempt is the duration of the attempt that delivered.
func lastAttempt(t *fetch.Trip) time.Duration {
	if n := len(t.Attempts); n > 0 {
		return t.Attempts[n-1].Total
	}
	return 0
}

// moved reports whether an answer came from another scheme, host or port than
// was asked.
func moved(asked, final string) bool {
	return final != "" && final != asked && place(asked) != place(final)
}

// place is the scheme, host and port of an address.
func place(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	return u.Scheme + "://" + u.Host
}

// cutBy replaces an error by which the run's budget cut a trip with what the
// trip had failed by until then, where it had.
func cutBy(err error) error {
	fe := verdict.Find(err)
	if fe == nil || fe.Kind != fetch.Aborted || !errors.Is(err, ErrRunBudget) {
		return err
	}
	if fe.Previous != nil {
		said := *fe.Previous
		said.Trip = fe.Trip
		return &said
	}
	cut := *fe
	cut.Detail = DetailRunBudget
	return &cut
}

// redactError masks secrets in what of an error is shown to people. The masks
// are put before anything is shortened.
func (r *runner) redactError(err error) error {
	fe := verdict.Find(err)
	if fe == nil || r.plan.redactor == nil {
		return err
	}
	masked := *fe
	masked.Body = r.plan.redactor.Bytes(fe.Body)
	masked.URL = r.plan.redactor.String(fe.URL)
	masked.FinalURL = r.plan.redactor.String(fe.FinalURL)
	if fe.Location != nil {
		masked.Location = &fetch.Location{URL: r.plan.redactor.String(fe.Location.URL), CrossHost: fe.Location.CrossHost}
	}
	return &masked
}
