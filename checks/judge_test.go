package checks

import (
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

func TestJudge(t *testing.T) {
	amb, conf := Retrip{Trips: 2, Wait: 5 * time.Second}, Retrip{Trips: 2, Wait: time.Second}
	once := Retrip{Trips: 1}
	f := func(fs ...Finding) []Finding { return fs }
	cases := []struct {
		name      string
		trips     []Finding
		noRepeat  bool
		cut       bool
		ambiguous Retrip
		confirm   Retrip
		want      ruling
	}{
		{"ok at once", f(OK), false, false, amb, conf, ruling{finding: OK}},
		{"an outage is not repeated", f(Indisponivel), false, false, amb, conf, ruling{finding: Indisponivel}},
		{"our own failure is not repeated", f(Alheio), false, false, amb, conf, ruling{finding: Alheio}},

		{"ambiguous asks again", f(Ambiguo), false, false, amb, conf, ruling{finding: Ambiguo, again: true, wait: 5 * time.Second}},
		{"ambiguous twice persists", f(Ambiguo, Ambiguo), false, false, amb, conf, ruling{finding: Ambiguo, persistent: true, evidence: 1}},
		{"ambiguous then fine is unstable", f(Ambiguo, OK), false, false, amb, conf, ruling{finding: OK, unstable: true, evidence: 1}},
		{"ambiguous then down is down", f(Ambiguo, Indisponivel), false, false, amb, conf, ruling{finding: Indisponivel, unstable: true, evidence: 1}},
		{"ambiguous then broken is confirmed first", f(Ambiguo, Drift), false, false, amb, conf,
			ruling{finding: Drift, unstable: true, evidence: 1, again: true, wait: time.Second}},
		{"ambiguous, broken, broken", f(Ambiguo, Drift, Drift), false, false, amb, conf, ruling{finding: Drift, unstable: true, evidence: 2}},
		{"ambiguous turned off", f(Ambiguo), false, false, once, conf, ruling{finding: Ambiguo}},
		{"ambiguous three times", f(Ambiguo, Ambiguo), false, false, Retrip{Trips: 3, Wait: time.Minute}, conf,
			ruling{finding: Ambiguo, persistent: true, evidence: 1, again: true, wait: time.Minute}},
		{"ambiguous, then our own failure, stays ambiguous", f(Ambiguo, Alheio), false, false, amb, conf, ruling{finding: Ambiguo, unstable: true}},

		{"drift asks again", f(Drift), false, false, amb, conf, ruling{finding: Drift, again: true, wait: time.Second}},
		{"drift confirmed", f(Drift, Drift), false, false, amb, conf, ruling{finding: Drift, evidence: 1}},
		{"refusal confirmed", f(Respondeu, Respondeu), false, false, amb, conf, ruling{finding: Respondeu, evidence: 1}},
		{"the later one decides between the two", f(Respondeu, Drift), false, false, amb, conf, ruling{finding: Drift, unstable: true, evidence: 1}},
		{"drift then fine is unstable", f(Drift, OK), false, false, amb, conf, ruling{finding: OK, unstable: true, evidence: 1}},
		{"drift then down is unconfirmed", f(Drift, Indisponivel), false, false, amb, conf,
			ruling{finding: Ambiguo, detail: DetailUnconfirmed, unstable: true}},
		{"refusal then malformed is unconfirmed", f(Respondeu, Ambiguo), false, false, amb, conf,
			ruling{finding: Ambiguo, detail: DetailUnconfirmed, unstable: true}},
		{"drift then cancelled is unconfirmed", f(Drift, Alheio), false, true, amb, conf,
			ruling{finding: Ambiguo, detail: DetailUnconfirmed, unstable: true}},
		{"drift on a cut run is unconfirmed", f(Drift), false, true, amb, conf, ruling{finding: Ambiguo, detail: DetailUnconfirmed}},
		{"confirm turned off", f(Drift), false, false, amb, once, ruling{finding: Drift}},
		{"three to confirm", f(Drift, Drift), false, false, amb, Retrip{Trips: 3, Wait: time.Second},
			ruling{finding: Drift, evidence: 1, again: true, wait: time.Second}},
		{"three to confirm, one not measured", f(Drift, Indisponivel), false, false, amb, Retrip{Trips: 3, Wait: time.Second},
			ruling{finding: Indisponivel, unstable: true, again: true, wait: time.Second}},
		{"one that was not measured does not count to four", f(Drift, Ambiguo, Ambiguo, Drift, Drift), false, false, amb, Retrip{Trips: 4, Wait: time.Second},
			ruling{finding: Drift, unstable: true, evidence: 4, again: true, wait: time.Second}},
		{"as many trips as both allow, and no more", f(Drift, Ambiguo, Ambiguo, Drift, Drift, Drift), false, false, amb, Retrip{Trips: 4, Wait: time.Second},
			ruling{finding: Ambiguo, detail: DetailUnconfirmed, unstable: true, evidence: 5}},

		{"not repeatable drift", f(Drift), true, false, amb, conf, ruling{finding: Drift, detail: DetailSingleTrip}},
		{"not repeatable malformed", f(Ambiguo), true, false, amb, conf, ruling{finding: Ambiguo, detail: DetailSingleTrip}},
		{"a sharer that was fine is judged on the latest", f(OK, Ambiguo), false, false, amb, conf,
			ruling{finding: Ambiguo, unstable: true, evidence: 1, again: true, wait: 5 * time.Second}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := judge(c.trips, !c.noRepeat, c.ambiguous, c.confirm, c.cut)
			if got != c.want {
				t.Errorf("\n got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// TestJudgeEnds walks every sequence of findings: a probe always stops asking.
func TestJudgeEnds(t *testing.T) {
	amb, conf := Retrip{Trips: 3}, Retrip{Trips: 3}
	var walk func(trips []Finding)
	walk = func(trips []Finding) {
		if len(trips) > amb.Trips+conf.Trips {
			t.Fatalf("still asking after %v", trips)
		}
		for _, f := range Findings() {
			next := append(append([]Finding{}, trips...), f)
			r := judge(next, true, amb, conf, false)
			if r.again {
				walk(next)
				continue
			}
			if broken(r.finding) && tail(next, broken) < conf.Trips {
				t.Errorf("%v: %s was believed unconfirmed", next, r.finding)
			}
			if r.finding == OK && f != OK {
				t.Errorf("%v: ok, though the latest trip was %s", next, f)
			}
		}
	}
	walk(nil)
}

func TestWeigh(t *testing.T) {
	persistent := ruling{finding: Ambiguo, persistent: true, evidence: 1}
	with := func(f Finding, detail string) ruling {
		r := persistent
		r.finding, r.detail = f, detail
		return r
	}
	cases := []struct {
		name     string
		have     ruling
		sentinel Finding
		same     bool
		looks    fetch.LooksLike
		want     ruling
	}{
		{"the origin is down", persistent, Indisponivel, true, fetch.LooksHTML, with(Indisponivel, DetailSentinel)},
		{"the sentinel is malformed too", persistent, Ambiguo, true, fetch.LooksHTML, with(Indisponivel, DetailSentinel)},
		{"and the bodies differ", persistent, Ambiguo, false, fetch.LooksHTMLErrorPage, with(Indisponivel, DetailSentinel)},
		{"an error page each time", persistent, OK, true, fetch.LooksHTMLErrorPage, with(Respondeu, DetailSentinel)},
		{"a challenge each time", persistent, OK, true, fetch.LooksWAFChallenge, with(Respondeu, DetailSentinel)},
		{"a login page each time", persistent, OK, true, fetch.LooksLoginPage, with(Respondeu, DetailSentinel)},
		{"a fault in XML each time", persistent, OK, true, fetch.LooksXMLFault, with(Respondeu, DetailSentinel)},
		{"a page each time", persistent, OK, true, fetch.LooksHTML, with(Drift, DetailSentinel)},
		{"XML each time", persistent, OK, true, fetch.LooksXML, with(Drift, DetailSentinel)},
		{"nothing each time", persistent, OK, true, fetch.LooksEmpty, with(Drift, DetailSentinel)},
		{"another body each time", persistent, OK, false, fetch.LooksHTMLErrorPage, persistent},
		{"the sentinel is refused", persistent, Respondeu, true, fetch.LooksHTML, persistent},
		{"the sentinel's rule says drift", persistent, Drift, true, fetch.LooksHTML, persistent},
		{"we cut the sentinel", persistent, Alheio, true, fetch.LooksHTML, persistent},
		{"no sentinel", persistent, "", true, fetch.LooksHTML, persistent},
		{"one trip alone", ruling{finding: Ambiguo}, Indisponivel, true, fetch.LooksHTML, ruling{finding: Ambiguo}},
		{"another trip follows", ruling{finding: Ambiguo, persistent: true, again: true}, Indisponivel, true, "",
			ruling{finding: Ambiguo, persistent: true, again: true}},
		{"what is broken stays so", ruling{finding: Drift, evidence: 1}, Indisponivel, true, "", ruling{finding: Drift, evidence: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := c.have.weigh(c.sentinel, c.same, c.looks); got != c.want {
				t.Errorf("\n got %+v\nwant %+v", got, c.want)
			}
		})
	}
}
