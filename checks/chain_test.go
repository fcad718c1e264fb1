package checks

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

const token = "s3cr3t/tok+en"

// chained is a login, what needs it, and what needs that.
const chained = header + `
  - {name: items, origin: o, get: "/items/${list.newest}?t=${login.token}", expect: {json: [{path: $.v, equals: 1}]}}
  - name: list
    origin: o
    request: {path: /list, headers: {Authorization: "Bearer ${login.token}"}}
    capture: {newest: {path: "$[*]", max_by: "@.at", take: "@.id"}}
  - name: login
    origin: o
    request: {method: POST, path: /login, json: {user: me}}
    idempotent: true
    capture: {token: {path: $.token, secret: true}}
`

const (
	loginOK = `200 {"token":"s3cr3t/tok+en"}`
	listOK  = `200 [{"id":"a/1","at":1},{"id":"b 2","at":9},{"id":"c","at":3}]`
)

func TestAChainIsAskedInTheOrderOfItsNeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var asked []string
		answers := script(map[string][]string{"/login": {loginOK}, "/list": {listOK}, "/items/b 2": {`200 {"v":"s3cr3t/tok+en"}`}})
		tr := &fake{reply: func(r *http.Request, n int) (*http.Response, error) {
			mu.Lock()
			asked = append(asked, r.Method+" "+r.URL.EscapedPath()+" "+r.URL.RawQuery+" "+r.Header.Get("Authorization"))
			mu.Unlock()
			time.Sleep(time.Second)
			return answers.reply(r, n)
		}}
		rep := runPlan(t, t.Context(), declare(t, chained), tr, Options{})
		equal(t, "requests", []string{
			"POST /login  ", "GET /list  Bearer " + token,
			"GET /items/b%202 t=s3cr3t%2Ftok%2Ben ", "GET /items/b%202 t=s3cr3t%2Ftok%2Ben ",
		}, asked)
		if rep.Duration != 5*time.Second { // four requests and the pause before the drift is confirmed
			t.Errorf("took %s", rep.Duration)
		}
		items := rep.Results[0]
		if items.Finding != Drift || items.Retrieval.Requests != 2 || !items.Asked || rep.Results[1].Finding != OK || rep.Results[2].Finding != OK {
			t.Errorf("%+v", items)
		}
		text, err := json.Marshal(rep.Results)
		if err != nil || strings.Contains(string(text), "s3cr3t") || !strings.Contains(string(text), "[redacted:login.token]") {
			t.Errorf("the captured secret is shown: %s %v", text, err)
		}
		if got := *items.Reproduce; !strings.HasSuffix(got, `https://o.example/items/"$CAPTURED_list_newest"`) || !strings.Contains(got, `--data-urlencode t="$CAPTURED_login_token"`) {
			t.Error(got)
		}
	})
}

// A probe whose need has no value is not asked, inherits its verdict, and counts
// for nothing by itself (M14).
func TestInheritedVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name      string
		login     []string
		need      Finding
		inherited Finding
		requests  int
		motivo    string
		keys      string // more of them, of login
	}{
		{"down", []string{"503 busy"}, Indisponivel, Indisponivel, 1, "a sonda login, de que esta precisa, não foi medida: ", ""},
		{"refused", []string{"404 gone"}, Respondeu, Respondeu, 2, "não foi medida: ", ""},
		{"no JSON", []string{"200 <html>"}, Ambiguo, Ambiguo, 2, "não foi medida: ", ""},
		{"drift", []string{`200 {"token":"abcdef","x":1}`}, Drift, Alheio, 2, "está com o contrato quebrado", "    expect: {json: [{path: $.x, equals: 2}]}\n"},
		{"no value", []string{`200 {"other":1}`}, Drift, Alheio, 2, "está com o contrato quebrado", ""},
		{"too short to hide", []string{`200 {"token":"abc"}`}, Drift, Alheio, 2, "está com o contrato quebrado", ""},
		{"empty", []string{`200 {"token":null}`}, OK, Alheio, 1, "não tem valor para dar", "    empty_when: {path: $.token}\n    empty: ok\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y := strings.Replace(chained, "    idempotent: true\n", "    idempotent: true\n"+tt.keys, 1)
				tr := script(map[string][]string{"/login": tt.login})
				rep := runPlan(t, t.Context(), declare(t, y), tr, Options{})
				if len(tr.counts) != 1 || tr.counts["/login"] != tt.requests {
					t.Errorf("requests: %v", tr.counts)
				}
				login := rep.Results[2]
				if login.Finding != tt.need {
					t.Errorf("login is %s, %+v", login.Finding, login.Mismatches)
				}
				for i, need := range []string{"list", "login"} {
					r := rep.Results[i]
					if r.Finding != tt.inherited || r.Asked || r.Measured || r.Retrieval != nil || len(r.Trips) != 0 || deref(r.Detail, "") != DetailDependency ||
						*r.Verdict != string(tt.inherited) || r.Kind != nil || !strings.HasPrefix(*r.Motivo, "não foi perguntada: a sonda "+need+", ") {
						t.Errorf("%s: %s %+v", r.Name, deref(r.Motivo, ""), r)
					}
				}
				if !strings.Contains(*rep.Results[1].Motivo, tt.motivo) {
					t.Errorf("%s, want %q", *rep.Results[1].Motivo, tt.motivo)
				}
			})
		})
	}
}

func TestACaptureThatSelectsNothingIsDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := header + `  - {name: a, origin: o, get: /a, capture: {id: {path: $.id}, tag: {header: ETag}}}`
		r := runPlan(t, t.Context(), declare(t, y), script(map[string][]string{"/a": {`200 {}`}}), Options{}).Results[0]
		if r.Finding != Drift || len(r.Mismatches) != 2 || r.Mismatches[0].Code != "capture" || *r.Mismatches[0].Path != "$.id" || *r.Mismatches[1].Path != "ETag" {
			t.Errorf("%s %+v", r.Finding, r.Mismatches)
		}
	})
}

// feeds are what XML gives to a request of another probe.
const feeds = header + `
  - {name: feed, origin: o, get: /feed, capture: {id: {xpath: "//a:entry[last()]/@id", namespaces: {a: urn:atom}}}}
  - {name: entry, origin: o, get: "/entries/${feed.id}", expect: {json: [{path: $.v, equals: 1}]}}
`

func TestACaptureOfXMLReachesAGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{
			"/feed":        {`200 <feed xmlns="urn:atom"><entry id="1"/><entry id="b 2"/></feed>`},
			"/entries/b 2": {`200 {"v":1}`},
		})
		rep := runPlan(t, t.Context(), declare(t, feeds), tr, Options{})
		for i, r := range rep.Results {
			if r.Finding != OK {
				t.Errorf("%s: %s %+v", r.Name, r.Finding, r.Mismatches)
			}
			if want := []string{"https://o.example/feed", "https://o.example/entries/b%202"}[i]; r.URL != want {
				t.Errorf("%s, want %s", r.URL, want)
			}
		}
	})
}

// TestAFeedThatGivesNothing holds that what is no XML is ambiguo, as it is for
// every probe that reads XML, and what has no such node is drift.
func TestAFeedThatGivesNothing(t *testing.T) {
	for body, want := range map[string][2]Finding{
		"200 <html><body>login</body></html>":              {Ambiguo, Ambiguo},
		"200 <feed>":                                       {Ambiguo, Ambiguo},
		`200 {"id":"1"}`:                                   {Ambiguo, Ambiguo},
		`200 <feed xmlns="urn:atom"/>`:                     {Drift, Alheio},
		`200 <feed><entry id="1"/></feed>`:                 {Drift, Alheio},
		`200 <feed xmlns="urn:atom"><entry id=""/></feed>`: {Drift, Alheio},
		"503 busy": {Indisponivel, Indisponivel},
	} {
		synctest.Test(t, func(t *testing.T) {
			rep := runPlan(t, t.Context(), declare(t, feeds), script(map[string][]string{"/feed": {body}}), Options{})
			if got := [2]Finding{rep.Results[0].Finding, rep.Results[1].Finding}; got != want || rep.Results[1].Asked {
				t.Errorf("%s: %v, want %v", body, got, want)
			}
		})
	}
}

// TestACaptureBeyondOurLimit holds that an expression that costs too much is
// our own failure, unless something else breaks the contract.
func TestACaptureBeyondOurLimit(t *testing.T) {
	for expected, want := range map[string]Finding{"2": Alheio, "3": Drift} {
		synctest.Test(t, func(t *testing.T) {
			y := header + `  - {name: a, origin: o, get: /a, capture: {id: {xpath: "//a[count(//a) = count(//a)]"}}, expect: {xpath: [{path: //r/@v, equals: ` + expected + `}]}}`
			body := `200 <r v="2">` + strings.Repeat("<a/>", 5000) + "</r>"
			r := runPlan(t, t.Context(), declare(t, y), script(map[string][]string{"/a": {body}}), Options{}).Results[0]
			if r.Finding != want || want == Alheio && (r.Cause == nil || *r.Cause != fetch.CauseMaxSteps) {
				t.Errorf("%s: %s %v", expected, r.Finding, r.Cause)
			}
		})
	}
}

// The value is the one of the trip that decided.
func TestACaptureOfTheLaterTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := header + `
  - {name: a, origin: o, get: /a, capture: {id: {path: $.id}}, expect: {json: [{path: $.v, equals: 1}]}}
  - {name: b, origin: o, get: "/b?id=${a.id}"}`
		tr := script(map[string][]string{"/a": {`200 {"v":2,"id":"old"}`, `200 {"v":1,"id":"new"}`}, "/b": {"200 x"}})
		rep := runPlan(t, t.Context(), declare(t, y), tr, Options{})
		if got := rep.Results[1].URL; got != "https://o.example/b?id=new" {
			t.Error(got)
		}
	})
}

func TestNeedsAreRunThoughNotSelected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := declare(t, chained)
		tr := script(map[string][]string{"/login": {loginOK}, "/list": {listOK}})
		opt := Options{Transport: func(*Origin) http.RoundTripper { return tr }}
		p, err := NewPlan(d, []*Probe{d.Probes[1]}, opt)
		if err != nil {
			t.Fatal(err)
		}
		rep := p.Run(t.Context())
		if len(rep.Results) != 2 || rep.Results[0].Name != "list" || rep.Results[1].Name != "login" || rep.Results[0].Finding != OK {
			t.Errorf("%+v", rep.Results)
		}
	})
}

// A probe that waits for its need does not keep others from their places, and a
// run that is cut ends at once: what was never asked says so.
func TestACutRunLeavesDependentsUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}}
		rep := runPlan(t, t.Context(), declare(t, chained), tr, Options{Budget: 2 * time.Second})
		for i, want := range []struct {
			finding Finding
			detail  string
			asked   bool
		}{{Alheio, DetailRunBudget, false}, {Alheio, DetailRunBudget, false}, {Alheio, DetailRunBudget, true}} {
			r := rep.Results[i]
			if r.Finding != want.finding || deref(r.Detail, "") != want.detail || r.Asked != want.asked {
				t.Errorf("%s: %s %s asked %v", r.Name, r.Finding, deref(r.Detail, ""), r.Asked)
			}
		}
		if rep.Duration != 2*time.Second || !rep.BudgetEnded {
			t.Errorf("took %s, budget ended %v", rep.Duration, rep.BudgetEnded)
		}
	})
}

func TestAPanicInANeedIsInherited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opt := Options{Observe: func(e Event) {
			if e.Kind == EventStart && e.Probe == "login" {
				panic("boom")
			}
		}}
		rep := runPlan(t, t.Context(), declare(t, chained), script(nil), opt)
		for i, detail := range []string{DetailDependency, DetailDependency, DetailPanic} {
			if r := rep.Results[i]; r.Finding != Alheio || deref(r.Detail, "") != detail {
				t.Errorf("%s: %s %s", r.Name, r.Finding, deref(r.Detail, ""))
			}
		}
	})
}

func TestAwaitAsksForNeedsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := declare(t, chained)
		tr := script(map[string][]string{"/login": {loginOK}, "/list": {"503 busy", listOK}, "/items/b 2": {`200 {"v":1}`}})
		rep, err := Await(t.Context(), d, d.Probes, 10*time.Minute, Options{Parallel: 2, Transport: func(*Origin) http.RoundTripper { return tr }})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rep.Results {
			if r.Finding != OK {
				t.Errorf("%s: %s %s", r.Name, r.Finding, deref(r.Motivo, ""))
			}
		}
		if tr.counts["/login"] != 2 || tr.counts["/list"] != 2 || tr.counts["/items/b 2"] != 1 {
			t.Errorf("requests: %v", tr.counts)
		}
	})
}

// Whatever the needs, as long as they make no circle, every job starts once,
// after those it waits for, and the gate comes to an end; also one that is cut.
func TestGateNeverStandsStill(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		synctest.Test(t, func(t *testing.T) {
			lanes := []*lane{{max: 1}, {max: rnd.IntN(3)}, {max: 2}}
			jobs := make([]*job, 40)
			needs := map[*job][]*job{}
			for _, i := range rnd.Perm(len(jobs)) {
				jobs[i] = &job{lane: lanes[rnd.IntN(len(lanes))], probes: []*planned{{}}}
				for _, need := range jobs {
					if need != nil && need != jobs[i] && rnd.IntN(8) == 0 {
						jobs[i].after(need)
						needs[jobs[i]] = append(needs[jobs[i]], need)
					}
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if seed%3 == 0 {
				time.AfterFunc(time.Duration(rnd.IntN(15))*time.Second, cancel)
			}
			g := newGate(1+rnd.IntN(4), lanes)
			g.queue(jobs)
			var mu sync.Mutex
			ended, begun := map[*job]bool{}, map[*job]int{}
			g.run(ctx, func(j *job) {
				mu.Lock()
				begun[j]++
				for _, need := range needs[j] {
					if !ended[need] {
						t.Errorf("seed %d: a job began before its need ended", seed)
					}
				}
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				ended[j] = true
				mu.Unlock()
			})
			synctest.Wait()
			time.Sleep(2 * time.Second)
			mu.Lock()
			defer mu.Unlock()
			if left := len(g.left()); len(ended)+left != len(jobs) || seed%3 != 0 && left > 0 {
				t.Errorf("seed %d: %d ended, %d left of %d", seed, len(ended), left, len(jobs))
			}
			for _, n := range begun {
				if n != 1 {
					t.Errorf("seed %d: a job began %d times", seed, n)
				}
			}
		})
	}
}

// A predicate compares an answer with what another probe captured.
func TestPredicatesSeeCaptures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := header + `
  - {name: a-1, origin: o, get: /a, capture: {id: {path: $.id}, v: {path: $.v}}}
  - {name: b, origin: o, get: /b, capture: {v: {path: $.v}}}
  - name: c
    origin: o
    get: /c/${a-1.id}?v=${a-1.v}&w=${b.v}
    expect: {cel: ['body.id == captures.id', 'captures["a-1"].v == "1"', 'captures.b.v == "2"', '!has(captures.v)']}`
		tr := script(map[string][]string{"/a": {`200 {"id":"x","v":1}`}, "/b": {`200 {"v":2}`}, "/c/x": {`200 {"id":"x"}`}})
		r := runPlan(t, t.Context(), declare(t, y), tr, Options{}).Results[2]
		if r.Finding != OK {
			t.Errorf("%s %s %+v", r.Finding, deref(r.Motivo, ""), r.Mismatches)
		}
	})
}

// Many probes behind one login, secrets learnt by many at once.
func TestManyDependents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var y strings.Builder
		y.WriteString(chained)
		for i := range 300 {
			n := strconv.Itoa(i)
			y.WriteString("  - {name: p" + n + ", origin: o, request: {path: /p" + n + `, headers: {Cookie: "${login.token}"}}, capture: {t: {path: $.t, secret: true}}}` + "\n")
			y.WriteString("  - {name: q" + n + `, origin: o, get: "/q?t=${p` + n + `.t}"}` + "\n")
		}
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			switch {
			case r.URL.Path == "/login":
				return respond(r, 200, loginOK[4:]), nil
			case r.URL.Path == "/q" && strings.HasPrefix(r.URL.RawQuery, "t=token-of-"):
				return respond(r, 404, "gone"), nil
			}
			return respond(r, 200, `{"t":"token-of-`+r.URL.Path[2:]+`-x"}`), nil
		}}
		rep := runPlan(t, t.Context(), declare(t, y.String()), tr, Options{Parallel: 32})
		text, err := json.Marshal(rep.Results[3:])
		if err != nil || strings.Contains(string(text), "token-of-") {
			t.Error("a captured secret is shown", err)
		}
		for i, r := range rep.Results[3:] {
			if want := []Finding{OK, Respondeu}[i%2]; r.Finding != want {
				t.Fatalf("%s: %s %s", r.Name, r.Finding, deref(r.Motivo, ""))
			}
		}
	})
}

// An inherited verdict is in no count of its own.
func TestDependentsHaveNoProvenance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/login": {"503 busy"}})
		y := strings.Replace(chained, "retries: 0", "retries: 2, backoff: {jitter: none}", 1)
		rep := runPlan(t, t.Context(), declare(t, y), tr, Options{})
		equal(t, "login", &fetch.Retrieval{Requests: 1, Attempts: 3, Anomalies: []fetch.Kind{fetch.HTTP5xx, fetch.HTTP5xx, fetch.HTTP5xx}}, rep.Results[2].Retrieval)
		if rep.Results[0].Retrieval != nil || rep.Results[1].Retrieval != nil || tr.counts["/list"]+tr.counts["/items/"] != 0 {
			t.Errorf("%+v %v", rep.Results[:2], tr.counts)
		}
	})
}
