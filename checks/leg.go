package checks

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"slices"
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
	wait   time.Duration // the pause before it
	queued time.Duration // waiting for a place after that pause
	walked
	finding    Finding
	mismatches []expect.Mismatch
	seen       *expect.Observation // what the mismatches were found in; nil when nothing was
	needed     map[string]any      // the captures of other probes, for predicates
	empty      bool                // there is legitimately no data
	captured   map[string]string   // what other probes may use; nil where nothing was measured
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
		l.err = r.measure(ctx, pl, &l)
	}
	if l.err == nil {
		l.err = pretence(pl.probe, &l)
	}
	if l.err == nil {
		l.finding = OK
		if slices.ContainsFunc(l.mismatches, fails) {
			l.finding = Drift
		}
		return l
	}
	l.answer, l.err = nil, r.redactError(cutBy(l.err))
	l.mismatches, l.seen, l.captured = nil, nil, nil
	l.finding = Finding(verdict.Of(l.err).Verdict)
	return l
}

// measure says what does not hold of an answer. Where a rule of the origin says
// what it means, the expectations have nothing to judge; "ok" leaves it to them.
func (r *runner) measure(ctx context.Context, pl *planned, l *leg) error {
	a := l.answer
	if a.Rule != nil {
		switch a.Rule.Means {
		case fetch.MeansDrift:
			l.mismatches = []expect.Mismatch{{Code: "answers", Severity: expect.Fail, Want: "an answer that " + a.Rule.Name + " does not match",
				Got: "status " + strconv.Itoa(a.Status) + ", which it calls drift"}}
			return nil
		case fetch.MeansAbsent:
			l.mismatches, l.empty = absent(pl.probe.Empty, a.Rule.Name), true
			return nil
		}
	}
	return r.compare(ctx, pl, l)
}

// absent is what a legitimately absent answer leads to; how says why it is one.
func absent(empty Empty, how string) []expect.Mismatch {
	m := expect.Mismatch{Code: "empty", Severity: expect.Warn, Want: "data", Got: "none, which is legitimate: " + how}
	switch empty {
	case EmptyOK:
		return nil
	case EmptyFail:
		m.Severity = expect.Fail
	}
	return []expect.Mismatch{m}
}

// compare evaluates the expectations, unless the answer is empty in the way that
// the probe describes, and notes a redirect that led elsewhere.
func (r *runner) compare(ctx context.Context, pl *planned, l *leg) error {
	a := l.answer
	o := &expect.Observation{Status: a.Status, Header: a.Header, Body: a.Body, Duration: l.slowest(), Now: a.RetrievedAt, TLS: observedTLS(a.TLS), Redact: r.plan.redactor.String}
	o.Captures, o.Request = l.needed, expect.Request{Method: cmp.Or(pl.request.Method, http.MethodGet), URL: a.URL}
	if l.joined != nil {
		o.Body, o.JSON = l.joined, true
	} else if err := observeBody(o, pl.probe, a); err != nil {
		return err
	}
	observeMCP(o, pl.probe, a)
	emptiness, err := pl.probe.EmptyWhen.Of(ctx, o)
	switch {
	case err != nil:
		return cancelledAt(ctx, a)
	case emptiness.How != "" && len(l.broken) == 0:
		l.mismatches, l.empty = absent(pl.probe.Empty, emptiness.How), true
		return nil
	case emptiness.Lost != nil:
		l.broken = append(slices.Clip(l.broken), *emptiness.Lost)
	}
	captured, broken, unfollowed := r.capture(ctx, pl.probe, o)
	mismatches, err := pl.probe.Expect.Evaluate(ctx, o)
	if err == nil && !slices.ContainsFunc(slices.Concat(mismatches, l.broken), fails) {
		err = unfollowed // what broke the contract has broken it, whatever could not be followed beside it
	}
	switch {
	case errors.Is(err, expect.ErrLimit):
		return &fetch.Error{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CauseMaxSteps, Status: a.Status, Header: a.Header,
			Offset: -1, URL: a.URL, FinalURL: a.FinalURL, Mirror: a.Mirror, Trip: a.Trip, Err: err}
	case err != nil:
		return cancelledAt(ctx, a)
	}
	l.seen, l.captured = o, captured
	l.mismatches = slices.Concat(mismatches, broken, l.broken, mcpMismatches(pl.probe, a))
	r.noteMove(l)
	return nil
}

func fails(m expect.Mismatch) bool { return m.Severity == expect.Fail }

// cancelledAt is the end of the run while an answer was being judged.
func cancelledAt(ctx context.Context, a *fetch.Answer) error {
	trip := a.Trip
	trip.Stopped = fetch.StopCancelled
	return &fetch.Error{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Detail: fetch.Cancelled, Status: a.Status, URL: a.URL, Trip: trip, Err: context.Cause(ctx)}
}

// noteMove warns of a redirect that led to another place, on whichever page.
func (r *runner) noteMove(l *leg) {
	a := l.answer
	if l.walked.moved != nil && !moved(cmp.Or(a.Mirror, a.URL), a.FinalURL) {
		a = l.walked.moved
	}
	if moved(cmp.Or(a.Mirror, a.URL), a.FinalURL) {
		got := a.FinalURL
		if a.Withheld {
			got += " (declared headers withheld)"
		}
		l.mismatches = append(l.mismatches, expect.Mismatch{Code: "redirect.moved", Severity: expect.Warn,
			Want: r.plan.redactor.String(place(a.URL)), Got: r.plan.redactor.String(got)})
	}
}

// observedTLS is what the expectations see of a handshake.
func observedTLS(info *fetch.TLSInfo) *expect.TLS {
	if info == nil {
		return nil
	}
	return &expect.TLS{Version: strings.TrimPrefix(tls.VersionName(info.Version), "TLS "), Issuer: info.Issuer, NotAfter: info.NotAfter}
}

// slowest is the longest of the attempts that delivered a page.
func (l *leg) slowest() time.Duration {
	most := lastAttempt(l.trip())
	for i := range l.before {
		most = max(most, lastAttempt(&l.before[i]))
	}
	return most
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
	return final != "" && final != asked && !samePlace(asked, final)
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
