package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

func TestASoundServer(t *testing.T) {
	w := newWorld(t, "ok", nil)
	a, e := w.ask(echo("olá"))
	if e != nil {
		t.Fatal(e)
	}
	if string(a.Body) != "Echo: olá" || a.RPC.Text != "Echo: olá" || a.Status != 200 || len(a.Notes) != 0 {
		t.Errorf("got %q, %+v", a.Body, a)
	}
	if a.Header.Get(headerSession) != "" {
		t.Error("the session's id is handed out")
	}
	rec := a.Trip.Attempts[0]
	if rec.Requests != 5 || rec.TTFB <= 0 || rec.Bytes == 0 || rec.Connect < 0 {
		t.Errorf("the attempt: %+v", rec)
	}
	if _, e = w.ask(echo("again")); e != nil {
		t.Fatal(e)
	}
	if n := len(w.origin.Seen("ok")); n != 6 {
		t.Errorf("%d requests came for two calls, want 6: discover, initialize, initialized, tools/list and the calls", n)
	}
	if got := *w.call.Retrieval(); got.Requests != 2 || got.Attempts != 2 || len(got.Anomalies) != 0 {
		t.Errorf("the collector: %+v", got)
	}
	w.peer.Close(context.Background())
	seen := w.origin.Seen("ok")
	last := seen[len(seen)-1]
	if last.Method != "DELETE" || last.Session == "" || len(last.Body) > 0 || last.Header.Get("Content-Type") != "" || last.Header.Get("Mcp-Protocol-Version") != "2025-11-25" {
		t.Errorf("the end of the session: %+v", last)
	}
}

func TestEveryVerb(t *testing.T) {
	w := newWorld(t, "pages", nil)
	for _, tc := range []struct {
		op   Op
		want string
	}{
		{Op{Verb: Initialize}, `"serverInfo":{"name":"faulty"`},
		{Op{Verb: Ping}, `{}`},
		{Op{Verb: List, Name: "tools"}, `"name":"env"`},
		{Op{Verb: List, Name: "resources"}, `{"resources":[{"mimeType"`},
		{Op{Verb: List, Name: "prompts"}, `{"prompts":[{"arguments"`},
		{Op{Verb: Read, Name: "test://one"}, `{"one": 1}`},
		{Op{Verb: Prompt, Name: "greet", Arguments: json.RawMessage(`{"who":"Ana"}`)}, `"text":"Hello, Ana"`},
		{Op{Verb: Call, Name: "json-text"}, `{"valor": "14.90", "cidade": "São Paulo"}`},
		{Op{Verb: Call, Name: "estados", Arguments: json.RawMessage(`{"regiao":"SE"}`)}, `{"estados":["ES","MG","RJ","SP"],"total":4}`},
		{Op{Verb: Surface}, `"resourceTemplates":[]`},
	} {
		a, e := w.ask(tc.op)
		if e != nil {
			t.Errorf("%+v: %v", tc.op, e)
		} else if !strings.Contains(string(a.Body), tc.want) {
			t.Errorf("%+v: got %s, want %s in it", tc.op, a.Body, tc.want)
		}
	}
	a, _ := w.ask(Op{Verb: List, Name: "tools"})
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(a.Body, &list); err != nil || len(list.Tools) != 7 {
		t.Errorf("%d tools over all pages, want 7 (%v)", len(list.Tools), err)
	}
}

func TestFaultsOfACall(t *testing.T) {
	type want struct {
		kind   fetch.Kind
		detail fetch.Detail
		cause  fetch.Cause
		status int
		means  fetch.Means // of the rule; "" for none
		code   int64
		after  bool // whether the next question is answered by the same session
	}
	no := int64(0)
	for fault, w := range map[string]want{
		"502":            {fetch.HTTP5xx, "", "", 502, "", no, true},
		"500":            {fetch.HTTP5xx, "", "", 500, "", no, true},
		"429":            {fetch.RateLimited, "", "", 429, "", no, true},
		"401":            {fetch.HTTP4xx, "", "", 401, "", no, true},
		"400":            {fetch.HTTP4xx, "", "", 400, "", -32000, false},
		"404":            {fetch.NotFound, "", "", 404, "", no, false},
		"404-rpc-id":     {fetch.NotFound, "", "", 404, "", -32001, false},
		"html":           {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"half-json":      {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"plain":          {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"not-rpc":        {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"null-result":    {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"text-result":    {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"bare-result":    {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"sse-no-result":  {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"empty":          {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"wrong-id":       {fetch.MalformedBody, fetch.WrongReply, "", 200, "", no, true},
		"hung-header":    {fetch.Timeout, fetch.HeaderTimeout, "", 0, "", no, false},
		"hung-body":      {fetch.Timeout, fetch.BodyTimeout, "", 200, "", no, false},
		"cut-body":       {fetch.Network, fetch.BodyCut, "", 200, "", no, false},
		"reset":          {fetch.Network, fetch.TCPReset, "", 0, "", no, false},
		"big":            {fetch.Aborted, "", fetch.CauseMaxBody, 200, "", no, false},
		"rpc-error":      {"", fetch.RPCError, "", 200, fetch.MeansRespondeu, -32602, true},
		"rpc-error-200":  {"", fetch.RPCError, "", 200, fetch.MeansRespondeu, -32029, true},
		"sse-error":      {"", fetch.RPCError, "", 200, fetch.MeansRespondeu, -32602, true},
		"input-required": {"", fetch.InputRequired, "", 200, fetch.MeansRespondeu, no, true},
		"sse-no-reply":   {fetch.Network, fetch.NoReply, "", 200, "", no, false},
		"sse-silence":    {fetch.Timeout, fetch.BodyTimeout, "", 200, "", no, false},
		"sse-flood":      {fetch.Timeout, fetch.BodyTimeout, "", 200, "", no, false},
		"sse-not-rpc":    {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"sse-cut":        {fetch.Network, fetch.NoReply, "", 200, "", no, false},
		"sse-cut-404":    {fetch.Network, fetch.NoReply, "", 200, "", no, false},
		"sse-cut-502":    {fetch.HTTP5xx, "", "", 502, "", no, false},
		"sse-cut-junk":   {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, false},
		"sse-deep":       {fetch.Aborted, "", fetch.CauseMaxDepth, 200, "", no, true},
		"deep":           {fetch.Aborted, "", fetch.CauseMaxDepth, 200, "", no, true},
		"is-error-text":  {fetch.MalformedBody, fetch.NotRPC, "", 200, "", no, true},
		"202":            {fetch.Timeout, fetch.BodyTimeout, "", 202, "", no, false},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			x := newWorld(t, fault, nil)
			began := time.Now()
			a, e := x.ask(echo("x"))
			if e == nil {
				t.Fatalf("an answer: %s", a.Body)
			}
			if took := time.Since(began); took > 1300*time.Millisecond {
				t.Errorf("it took %s", took)
			}
			got := want{e.Kind, e.Detail, e.Cause, e.Status, "", 0, w.after}
			if e.Rule != nil {
				got.means = e.Rule.Means
			}
			if e.RPC != nil && e.RPC.Code != nil {
				got.code = *e.RPC.Code
			}
			if got != w {
				t.Errorf("got  %+v\nwant %+v\n%v", got, w, e)
			}
			if fault == "429" && (e.RetryAfter == nil || *e.RetryAfter != time.Second) {
				t.Errorf("Retry-After is %v", e.RetryAfter)
			}
			if strings.Contains(e.Error(), "session") && fault != "400" {
				t.Errorf("a session's id may be in %q", e.Error())
			}
			opened := count(x.origin.Seen(fault), "initialize")
			if _, e := x.ask(Op{Verb: Ping}); e != nil {
				t.Errorf("the next question: %v", e)
			}
			if same := count(x.origin.Seen(fault), "initialize") == opened; same != w.after {
				t.Errorf("the same session afterwards: %t, want %t", same, w.after)
			}
		})
	}
}

func TestAnswersInOtherForms(t *testing.T) {
	for fault, want := range map[string]string{
		"sse": "Echo: x", "sse-open": "Echo: x", "sse-retry": "at last", "no-content": "no structured content", "no-lists": "Echo: x",
		"delete-405": "Echo: x", "delete-hung": "Echo: x", "moved-307": "Echo: x", "version-400": "Echo: x", "version-own": "Echo: x", "discover-hung": "Echo: x",
		"pages": "Echo: x", "stale-404": "Echo: x", "stale-400": "Echo: x",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			x := newWorld(t, fault, nil)
			a, e := x.ask(echo("x"))
			if e != nil {
				t.Fatal(e)
			}
			if string(a.Body) != want {
				t.Errorf("got %q, want %q", a.Body, want)
			}
			renewed := slices.Contains(a.Notes, fetch.NoteSessionRenewed)
			if stale := strings.HasPrefix(fault, "stale"); renewed != stale {
				t.Errorf("a renewed session is noted: %t", renewed)
			}
		})
	}
}

func TestAStaleSessionIsRenewedOnce(t *testing.T) {
	x := newWorld(t, "stale-404", nil)
	if _, e := x.ask(Op{Verb: Call, Name: "write"}); e != nil {
		t.Fatal(e)
	}
	seen := x.origin.Seen("stale-404")
	if n := count(seen, "tools/call"); n != 2 {
		t.Errorf("the call was sent %d times, want 2", n)
	}
	first, second := "", ""
	for _, s := range seen {
		if s.RPC == "tools/call" {
			first, second = second, s.Session
		}
	}
	if first == second || second == "" {
		t.Error("the second call names the session that is gone")
	}
}

// A call that the server has taken is not sent once more because the rest of
// its stream is gone.
func TestACallThatWasTakenIsSentOnce(t *testing.T) {
	for _, fault := range []string{"sse-cut", "sse-cut-404", "sse-cut-502", "sse-cut-junk"} {
		x := newWorld(t, fault, func(c *fetch.Config, _ *Config) { c.Policy.Retries = 2 })
		if _, e := x.ask(Op{Verb: Call, Name: "write"}); e == nil {
			t.Errorf("%s: an answer", fault)
		}
		if n := count(x.origin.Seen(fault), "tools/call"); n != 1 {
			t.Errorf("%s: the call was sent %d times, want 1", fault, n)
		}
	}
}

func TestLists(t *testing.T) {
	for fault, want := range map[string]struct {
		kind    fetch.Kind
		detail  fetch.Detail
		endless bool
	}{
		"pages-502":   {fetch.Network, fetch.IncompleteList, false},
		"pages-rpc":   {fetch.Network, fetch.IncompleteList, false},
		"pages-loop":  {"", "", true},
		"pages-empty": {"", "", true},
	} {
		x := newWorld(t, fault, nil)
		a, e := x.ask(Op{Verb: List, Name: "tools"})
		switch {
		case want.endless:
			if e != nil || !a.RPC.Endless {
				t.Errorf("%s: a cursor that repeats is not seen: %v", fault, e)
			}
		case e == nil || e.Kind != want.kind || e.Detail != want.detail:
			t.Errorf("%s: got %v", fault, e)
		}
	}
}
