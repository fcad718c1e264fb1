package report

import (
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

func TestEveryVerdictHasANextStep(t *testing.T) {
	for i := range advices {
		if a := &advices[i]; a.text.EN == "" || a.text.PT == "" || a.text.EN == a.text.PT {
			t.Errorf("row %d: %+v", i, a.text)
		}
	}
	for _, f := range checks.Findings() {
		r := checks.Result{Finding: f}
		if text := nextStep(&r); strings.HasPrefix(text.EN, "see ") {
			t.Errorf("%s has no advice", f)
		}
		for _, k := range fetch.Kinds() {
			r.Kind = ptr(k)
			if text := nextStep(&r); f != checks.OK && f != checks.Drift && strings.HasPrefix(text.EN, "see ") {
				t.Errorf("%s, %s has no advice", f, k)
			}
		}
	}
}

func TestNextStepPicksTheFinestRow(t *testing.T) {
	refused := failed("p", "o", checks.Respondeu, "", fetch.OutcomeClientError)
	refused.Detail, refused.Rule = ptr(string(fetch.RPCError)), ptr(fetch.BuiltinRule+string(fetch.RPCError))
	nx := failed("p", "o", checks.Indisponivel, fetch.Network, fetch.OutcomeFatal)
	nx.Detail = ptr(string(fetch.DNSNXDomain))
	waf := failed("p", "o", checks.Respondeu, fetch.HTTP4xx, fetch.OutcomeBlocked)
	waf.LooksLike = ptr(fetch.LooksWAFChallenge)
	drift := driftResult()
	drift.Detail = ptr(checks.DetailSingleTrip)
	for want, r := range map[string]checks.Result{"the name does not exist": nx, "a firewall asks": waf, "the request may not be repeated": drift, "the source changed": driftResult(), "the server refused the call": refused} {
		if text := nextStep(&r).EN; !strings.HasPrefix(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

// TestNextStepFollowsARule holds that advice goes by what a rule made of an
// answer, and not by what the answer would have been without it.
func TestNextStepFollowsARule(t *testing.T) {
	for _, c := range []struct {
		finding checks.Finding
		kind    fetch.Kind
		status  int
		detail  string
		want    string
	}{
		{checks.Respondeu, fetch.HTTP5xx, 500, "", "a rule under answers: says that the source refuses"},
		{checks.Indisponivel, "", 200, "", "a rule under answers: says that this answer is an outage"},
		{checks.Indisponivel, fetch.NotFound, 404, "", "a rule under answers: says that this answer is an outage"},
		{checks.Indisponivel, fetch.HTTP4xx, 200, string(fetch.ToolError), "a rule under answers: says that this answer is an outage"},
		{checks.Ambiguo, fetch.HTTP4xx, 400, "", "a rule under answers: says that this answer tells nothing"},
		{checks.Alheio, fetch.HTTP4xx, 403, "", "a rule under answers: says that this answer is of our own side"},
		{checks.Drift, fetch.HTTP4xx, 400, "", "the source changed"},
		{checks.Indisponivel, fetch.HTTP5xx, 500, checks.DetailUnconfirmed, "the first answer broke the contract"},
	} {
		r := failed("p", "o", c.finding, c.kind, fetch.OutcomeFatal)
		r.Status, r.Rule, r.Detail = ptr(c.status), ptr("origins.o.answers[0]"), nil
		if c.detail != "" {
			r.Detail = ptr(c.detail)
		}
		if c.kind == "" {
			r.Kind = nil
		}
		if text := nextStep(&r).EN; !strings.HasPrefix(text, c.want) {
			t.Errorf("%s of a rule on %d %s: %q, want %q", c.finding, c.status, c.kind, text, c.want)
		}
		r.Rule = nil
		if text := nextStep(&r).EN; strings.HasPrefix(text, "a rule") {
			t.Errorf("%s without a rule: %q", c.finding, text)
		}
	}
}

// TestNextStepNamesTheCommand holds that what breaks nothing but a recorded
// shape or surface is answered with the command that records it, and that a
// name which is none reaches no command line.
func TestNextStepNamesTheCommand(t *testing.T) {
	fail := func(code string) expect.Mismatch { return expect.Mismatch{Code: code, Severity: expect.Fail} }
	warn := func(code string) expect.Mismatch { return expect.Mismatch{Code: code, Severity: expect.Warn} }
	const command = "fonteviva accept selic-diaria"
	for _, c := range []struct {
		name, detail string
		mismatches   []expect.Mismatch
		want, not    string
	}{
		{"selic-diaria", "", []expect.Mismatch{fail("shape.format"), fail("shape.key_gone"), fail("shape")}, command, ""},
		{"selic-diaria", "", []expect.Mismatch{fail("surface.tool_gone")}, command, ""},
		{"selic-diaria", "", []expect.Mismatch{warn("json.type"), fail("shape.type"), warn("redirect.moved")}, command, ""},
		{"selic-diaria", checks.DetailSingleTrip, []expect.Mismatch{fail("shape.type")}, command, ""},
		{"selic-diaria", checks.DetailSingleTrip, []expect.Mismatch{fail("json.type")}, "rests on one answer", "accept"},
		{"selic-diaria", "", []expect.Mismatch{fail("shape.type"), fail("json.type")}, "the source changed", "accept"},
		{"selic-diaria", "", []expect.Mismatch{fail("shapely.x")}, "the source changed", "accept"},
		{"selic-diaria", "", []expect.Mismatch{warn("shape.new_key")}, "the source changed", "accept"},
		{"selic-diaria", "", nil, "the source changed", "accept"},
		{"x; rm -rf $HOME", "", []expect.Mismatch{fail("shape.type")}, "fonteviva accept NAME", "rm"},
		{"--yes", "", []expect.Mismatch{fail("shape.type")}, "fonteviva accept NAME", "--yes"},
		{"p", "", []expect.Mismatch{fail("fresh")}, "or none is written as layout: says", ""},
		{"p", "", []expect.Mismatch{fail("tls.expires_after")}, "tls:", ""},
		{"p", "", []expect.Mismatch{warn("empty"), fail("max_empty")}, "there is no data", ""},
		{"p", "", []expect.Mismatch{fail("max_duration")}, "slower", ""},
		{"p", "", []expect.Mismatch{fail("capture")}, "capture:", ""},
		{"p", "", []expect.Mismatch{fail("fresh"), fail("capture")}, "the source changed", ""},
	} {
		r := checks.Result{Name: c.name, Finding: checks.Drift, Measured: true, Mismatches: c.mismatches}
		if c.detail != "" {
			r.Detail = &c.detail
		}
		text := nextStep(&r)
		if !strings.Contains(text.EN, c.want) || c.not != "" && strings.Contains(text.EN, c.not) {
			t.Errorf("%s %+v: %q, want %q, not %q", c.name, c.mismatches, text.EN, c.want, c.not)
		}
		if strings.Contains(text.EN+text.PT, "{") || strings.Contains(text.EN, command) != strings.Contains(text.PT, command) {
			t.Errorf("%s %+v: %+v", c.name, c.mismatches, text)
		}
	}
}

// Text in place of the data is often the data, declared as what it is not.
func TestNextStepOfTextSaysHowItIsRead(t *testing.T) {
	r := failed("p", "o", checks.Ambiguo, fetch.MalformedBody, fetch.OutcomeSuccess)
	for _, looks := range []fetch.LooksLike{fetch.LooksPlainText, fetch.LooksEmpty, ""} {
		r.LooksLike = &looks
		text := nextStep(&r)
		want := looks == fetch.LooksPlainText
		if strings.Contains(text.EN, "csv: how it is written") != want || strings.Contains(text.PT, "csv: como est\u00e1 escrito") != want {
			t.Errorf("%q: %+v", looks, text)
		}
	}
}
