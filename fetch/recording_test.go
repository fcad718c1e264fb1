package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// dialled fails a test in which anything is dialled or sent.
func dialled(t *testing.T) Config {
	return Config{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			t.Error("a replay dialled")
			return nil, net.ErrClosed
		},
		Transport: script(func(r *http.Request) (*http.Response, error) {
			t.Errorf("a replay sent %s", r.URL)
			return nil, net.ErrClosed
		}),
	}
}

// recordedOf asks live under a name, and gives what is on the tape.
func recordedOf(t *testing.T, cfg Config, reqs ...*Request) []Recorded {
	t.Helper()
	cfg.Tape = new(Tape)
	c := newClient(t, cfg)
	for _, r := range reqs {
		_, _ = c.Do(WithTake(t.Context(), "probe"), r) // what came is on the tape
	}
	return cfg.Tape.Take("probe")
}

// replaying is a client that replays, and the context of one who asks.
func replaying(t *testing.T, p Policy, list []Recorded) (*Client, context.Context) {
	cfg := dialled(t)
	cfg.Policy, cfg.Replay = p, NewReplay(map[string][]Recorded{"probe": list})
	return newClient(t, cfg), WithTake(t.Context(), "probe")
}

func packed(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReplayAnswersAsTheOriginDid asks each path live and from the recording,
// and wants the same answer or the same failure.
func TestReplayAnswersAsTheOriginDid(t *testing.T) {
	plain := strings.Repeat(`{"a":1} `, 10)
	zipped := packed(t, plain)
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/retry":
			if n.Add(1) == 1 {
				w.WriteHeader(503)
			}
			io.WriteString(w, "late")
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped)
		case "/not-gzip":
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, plain)
		case "/binary":
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Write([]byte{0, 0xff, 0x1b, 7})
		case "/redirect":
			http.Redirect(w, r, "/binary", http.StatusFound)
		case "/large":
			w.Write(bytes.Repeat([]byte("x"), 4096))
		case "/latin":
			w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
			w.Write([]byte("S\xe9rie"))
		case "/post":
			io.Copy(w, r.Body)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	p := DefaultPolicy()
	p.Backoff = Backoff{Base: time.Millisecond, Max: time.Millisecond}
	p.MaxBody = 1000
	for _, req := range []*Request{
		{URL: "/retry"}, {URL: "/gzip"}, {URL: "/gzip", Mode: ModeJSON}, {URL: "/not-gzip"}, {URL: "/binary"}, {URL: "/redirect"}, {URL: "/large"},
		{URL: "/latin"}, {URL: "/none"}, {Method: "HEAD", URL: "/binary"}, {Method: "POST", URL: "/post", Body: []byte("hi")},
	} {
		t.Run(req.Method+req.URL, func(t *testing.T) {
			r := *req
			r.URL = s.URL + req.URL
			tape := new(Tape)
			live, liveErr := newClient(t, Config{Policy: p, Tape: tape}).Do(WithTake(t.Context(), "probe"), &r)
			list := tape.Take("probe")
			if len(list) == 0 {
				t.Fatal("nothing was recorded")
			}
			c, ctx := replaying(t, p, list)
			again, err := c.Do(ctx, &r)
			if liveErr != nil {
				a, b := failed(t, liveErr), failed(t, err)
				if a.Kind != b.Kind || a.Detail != b.Detail || a.Cause != b.Cause || a.Status != b.Status || a.LooksLike != b.LooksLike || len(a.Trip.Attempts) != len(b.Trip.Attempts) {
					t.Fatalf("live %+v, replayed %+v", a, b)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if again.Status != live.Status || !bytes.Equal(again.Body, live.Body) || again.FinalURL != live.FinalURL || len(again.Trip.Attempts) != len(live.Trip.Attempts) {
				t.Errorf("live %+v, replayed %+v", live, again)
			}
			if a, b := live.Header.Get("Content-Encoding"), again.Header.Get("Content-Encoding"); a != b {
				t.Errorf("live coding %q, replayed %q", a, b)
			}
			last, liveLast := again.Trip.Attempts[len(again.Trip.Attempts)-1], live.Trip.Attempts[len(live.Trip.Attempts)-1]
			if last.Bytes != liveLast.Bytes || last.Requests != liveLast.Requests {
				t.Errorf("live %+v, replayed %+v", liveLast, last)
			}
			if !again.RetrievedAt.Equal(list[len(list)-1].At) {
				t.Errorf("retrieved at %s, recorded at %s", again.RetrievedAt, list[len(list)-1].At)
			}
		})
	}
}

// TestCodingsAreUndoneInARecord: a person reads the record, not gzip.
func TestCodingsAreUndoneInARecord(t *testing.T) {
	zipped := packed(t, "hello, secret-value")
	hide := func(s string) string { return strings.ReplaceAll(s, "secret-value", "***") }
	for _, tt := range []struct {
		name, coding string
		body         []byte
		want         string
		undone       bool
		partial      bool
	}{
		{"gzip", "gzip", zipped, "hello, ***", true, false},
		{"unknown coding", "zip", []byte("a secret-value"), "a ***", false, false},
		{"gzip with a tail, which cannot be masked inside", "gzip", append(bytes.Clone(zipped), "x"...), "", false, true},
		{"utf-16, which cannot either", "", []byte("\xff\xfes\x00e\x00c\x00r\x00e\x00t\x00-\x00v\x00a\x00l\x00u\x00e\x00"), "", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := script(func(r *http.Request) (*http.Response, error) {
				res, _ := say(200, string(tt.body))(r)
				if tt.coding != "" {
					res.Header.Set("Content-Encoding", tt.coding)
				}
				return res, nil
			})
			list := recordedOf(t, Config{Policy: once(), Transport: f, Hide: hide}, &Request{URL: origin})
			if len(list) != 1 {
				t.Fatalf("%d recorded", len(list))
			}
			x := list[0]
			if string(x.Body) != tt.want || (len(x.Coding) > 0) != tt.undone || x.Partial != tt.partial || (x.Answered.Get("Content-Encoding") == "") != (tt.undone || tt.coding == "") {
				t.Errorf("%+v", x)
			}
		})
	}
}

// TestNoCredentialIsRecorded in any header, URL or body, whatever is declared a
// secret.
func TestNoCredentialIsRecorded(t *testing.T) {
	f := script(func(r *http.Request) (*http.Response, error) {
		res, _ := say(200, "you sent s3cret-token")(r)
		res.Header.Add("Set-Cookie", "sid=s3ssion; Path=/; HttpOnly")
		res.Header.Add("Set-Cookie", "s3ssion")
		res.Header.Add("Set-Cookie", "sid=s3;cret-token; Path=/")
		res.Header.Set("X-Echo", "s3cret-token")
		return res, nil
	})
	list := recordedOf(t, Config{
		Policy: once(), Transport: f, Hide: func(s string) string {
			return strings.NewReplacer("s3cret-token", "***", "s3;cret-token", "***").Replace(s)
		},
		Header: http.Header{"Authorization": {"Bearer other"}, "Cookie": {"a=other"}, "X-Token": {"s3cret-token"}},
	}, &Request{Method: "POST", URL: origin + "?key=s3cret-token", Body: []byte("s3cret-token")})
	if len(list) != 1 {
		t.Fatalf("%d recorded", len(list))
	}
	x := list[0]
	if x.URL != origin+"?key=***" || string(x.Body) != "you sent ***" || x.Answered.Get("X-Echo") != "***" || x.Header.Get("X-Token") != "***" {
		t.Errorf("%+v", x)
	}
	if x.Header.Get("Authorization") != masking || x.Header.Get("Cookie") != masking {
		t.Errorf("%v", x.Header)
	}
	if got := strings.Join(x.Answered["Set-Cookie"], "|"); got != "sid=[masked]; Path=/; HttpOnly|[masked]|sid=[masked]; Path=/" {
		t.Error(got)
	}
	if x.Sum != sumOf([]byte("***"), func(s string) string { return s }) {
		t.Error("the body's digest is of what it held")
	}
}

// answerOf is one recorded answer to GET origin.
func answerOf(status int, body string) Recorded {
	return Recorded{
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Method: "GET", URL: origin, Status: status, Answered: http.Header{},
		Body: []byte(body), Bytes: int64(len(body)), TTFB: 40 * time.Millisecond, Reading: 2 * time.Millisecond,
	}
}

func gapOf(k Kind) Recorded {
	return Recorded{At: time.Date(2026, 1, 2, 3, 4, 4, 0, time.UTC), Method: "GET", URL: origin, Unanswered: k}
}

// TestReplayInOrder: answers of one request come in their order, what was not
// answered is passed over and never repeated, and the last answer repeats.
func TestReplayInOrder(t *testing.T) {
	for _, tt := range []struct {
		name string
		list []Recorded
		want string // of three trips without retries; - is no recording
	}{
		{"one", []Recorded{answerOf(200, "a")}, "aaa"},
		{"two", []Recorded{answerOf(200, "a"), answerOf(200, "b")}, "abb"},
		{"a gap before", []Recorded{gapOf(Timeout), answerOf(200, "a")}, "aaa"},
		{"a gap between", []Recorded{answerOf(200, "a"), gapOf(Network), answerOf(200, "b")}, "abb"},
		{"a gap after", []Recorded{answerOf(200, "a"), gapOf(Network)}, "a--"},
		{"nothing but gaps", []Recorded{gapOf(Network)}, "---"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, ctx := replaying(t, once(), tt.list)
			got := ""
			for range 3 {
				a, err := c.Do(ctx, &Request{URL: origin})
				if err != nil {
					e := failed(t, err)
					if e.Cause != CauseNoRecording || e.Kind != Aborted || e.Trip.Stopped != StopNoRecording || len(e.Trip.Attempts) != 0 || !errors.Is(err, ErrNoRecording) {
						t.Fatalf("%+v", e)
					}
					got += "-"
					continue
				}
				got += string(a.Body)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestReplayWaitsForNothing: waits and recorded durations are shown, and pass
// on no real clock; an answer that is there is served whatever the budget says.
func TestReplayWaitsForNothing(t *testing.T) {
	p := DefaultPolicy()
	p.Retries, p.Budget, p.Timeout = 5, 3*time.Second, 10*time.Millisecond
	p.Backoff = Backoff{Base: 2 * time.Second, Max: 2 * time.Second, Strategy: Fixed}
	list := []Recorded{answerOf(503, ""), answerOf(503, ""), answerOf(200, "ok")}
	c, ctx := replaying(t, p, list)
	began := time.Now()
	a, err := c.Do(ctx, &Request{URL: origin})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it slept: %s", took)
	}
	last := a.Trip.Attempts[2]
	if last.Wait != 2*time.Second || last.TTFB != 40*time.Millisecond || last.Body != 2*time.Millisecond || last.Total != 42*time.Millisecond || last.Start != 4*time.Second+84*time.Millisecond {
		t.Errorf("%+v", last)
	}
	if a.Trip.Duration != 4*time.Second+126*time.Millisecond {
		t.Errorf("the trip took %s", a.Trip.Duration)
	}
	// What would only repeat is not: there the budget decides, as it did live.
	c, ctx = replaying(t, p, list[:1])
	_, err = c.Do(ctx, &Request{URL: origin})
	if e := failed(t, err); e.Kind != HTTP5xx || e.Trip.Stopped != StopBudget || len(e.Trip.Attempts) != 2 {
		t.Errorf("%+v", e)
	}
}

// TestReplayStandsOnWhatIsRecorded: a failure whose repetition was not recorded
// stays what it is, and a mirror answers where nothing else does.
func TestReplayStandsOnWhatIsRecorded(t *testing.T) {
	p := DefaultPolicy()
	p.Retries = 2
	c, ctx := replaying(t, p, []Recorded{answerOf(503, ""), gapOf(Timeout)})
	_, err := c.Do(ctx, &Request{URL: origin})
	if e := failed(t, err); e.Kind != HTTP5xx || e.Cause != "" || e.Trip.Stopped != StopNoRecording {
		t.Errorf("%+v", e)
	}
	mirror := answerOf(200, "mirrored")
	mirror.URL = "http://mirror.test/x"
	c, ctx = replaying(t, p, []Recorded{gapOf(Network), mirror})
	a, err := c.Do(ctx, &Request{URL: origin, Mirrors: []string{mirror.URL}})
	if err != nil || a.Mirror != mirror.URL || string(a.Body) != "mirrored" {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestReplayMatches by method, masked URL and body, in one's own recording
// first, and gives every asker a place of their own.
func TestReplayMatches(t *testing.T) {
	post := answerOf(200, "posted")
	post.Method, post.URL, post.Sum = "POST", origin+"?k=***", sumOf([]byte("***"), func(s string) string { return s })
	cfg := dialled(t)
	cfg.Policy, cfg.Hide = once(), func(s string) string { return strings.ReplaceAll(s, "t0ken", "***") }
	cfg.Replay = NewReplay(map[string][]Recorded{
		"a": {gapOf(Network)}, "b": {answerOf(200, "b1"), answerOf(200, "b2"), post}, "c": {answerOf(200, "c")},
	})
	c := newClient(t, cfg)
	ask := func(name string, r Request) string {
		a, err := c.Do(WithTake(t.Context(), name), &r)
		if err != nil {
			return string(failed(t, err).Cause)
		}
		return string(a.Body)
	}
	get := Request{URL: origin}
	for _, tt := range []struct {
		who  string
		req  Request
		want string
	}{
		{"c", get, "c"}, {"other", get, "b1"}, {"other", get, "b2"}, {"b", get, "b1"}, {"a", get, "no_recording"},
		{"b", Request{Method: "POST", URL: origin + "?k=t0ken", Body: []byte("t0ken")}, "posted"},
		{"b", Request{Method: "POST", URL: origin + "?k=t0ken", Body: []byte("else")}, "no_recording"},
		{"b", Request{Method: "PUT", URL: origin + "?k=t0ken", Body: []byte("t0ken")}, "no_recording"},
		{"b", Request{URL: origin + "?k=t0ken"}, "no_recording"},
	} {
		if got := ask(tt.who, tt.req); got != tt.want {
			t.Errorf("%s %s %s: got %q, want %q", tt.who, tt.req.Method, tt.req.URL, got, tt.want)
		}
	}
}

// TestReplayEndsWhereTheRecordingDoes: what was not read then is not an answer
// now, not even a shorter one.
func TestReplayEndsWhereTheRecordingDoes(t *testing.T) {
	cut := answerOf(200, "[1,2")
	cut.Partial = true
	c, ctx := replaying(t, once(), []Recorded{cut})
	_, err := c.Do(ctx, &Request{URL: origin})
	if e := failed(t, err); e.Cause != CauseNoRecording {
		t.Errorf("%+v", e)
	}
	hop := answerOf(302, "")
	hop.Answered = http.Header{"Location": {"/gone"}}
	c, ctx = replaying(t, once(), []Recorded{hop})
	_, err = c.Do(ctx, &Request{URL: origin})
	if e := failed(t, err); e.Cause != CauseNoRecording {
		t.Errorf("%+v", e)
	}
}

// TestWhatBreaksOffIsNoAnswer: a body cut by the network is recorded as a
// request that went unanswered.
func TestWhatBreaksOffIsNoAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "abc")
	}))
	list := recordedOf(t, Config{Policy: once()}, &Request{URL: s.URL})
	s.Close()
	list = append(list, recordedOf(t, Config{Policy: once()}, &Request{URL: s.URL})...)
	if len(list) != 2 || list[0].Unanswered != Network || list[1].Unanswered != Network || list[0].Status != 0 || list[0].Body != nil {
		t.Errorf("%+v", list)
	}
}

// piped is an exchange over a pipe that must not be begun.
type piped struct{ t *testing.T }

func (p piped) Do(context.Context, *Wire) (Reply, error) {
	p.t.Error("a replay began an exchange over a pipe")
	return Reply{}, nil
}
func (piped) CanRepeat() bool { return true }
func (piped) Piped() bool     { return true }

func TestReplayStartsNoCommand(t *testing.T) {
	c, ctx := replaying(t, once(), nil)
	_, err := c.Do(ctx, &Request{URL: "command", Exchange: piped{t}})
	if e := failed(t, err); e.Cause != CauseNoRecording {
		t.Errorf("%+v", e)
	}
}
