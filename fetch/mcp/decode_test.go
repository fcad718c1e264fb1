//go:build unix

package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fonteviva/fonteviva/fetch"
)

func TestDeepReplies(t *testing.T) {
	for _, fault := range []string{"less-deep", "sse-less-deep"} {
		a, e := newWorld(t, fault, nil).ask(echo("x"))
		if e != nil {
			t.Errorf("%s: %v", fault, e)
		} else if n := strings.Count(string(a.Body), "["); n != 9_000 {
			t.Errorf("%s: %d levels, want 9000", fault, n)
		}
	}
}

func TestDeepLines(t *testing.T) {
	a, e := commanded(t, "less-deep", nil).ask(echo("x"))
	if e != nil {
		t.Fatal(e)
	}
	if n := strings.Count(string(a.Body), "["); n != 9_000 {
		t.Errorf("%d levels, want 9000", n)
	}
	a, e = commanded(t, "deep-noise", nil).ask(echo("x"))
	if e != nil || !slices.Contains(a.Notes, fetch.NoteStdoutNotClean) {
		t.Errorf("a deep line that is no reply: %v", e)
	}
}

// What a text is: the message, damage to a call, or nothing of ours.
func TestDecode(t *testing.T) {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	less := strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                              "reply 7",
		`{"jsonrpc":"2.0","id":"7","result":{}}`:                            "reply 7",
		`{"jsonrpc":"2.0","id":7}`:                                          "reply 7",
		`{"jsonrpc":"2.0","method":"notifications/x"}`:                      "request",
		`{"jsonrpc":"2.0","id":7,"result":` + less + `}`:                    "reply 7",
		`{"result":` + less + `,"id":7,"jsonrpc":"2.0"}`:                    "reply 7",
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"data":` + less + `}}`:   "error 7",
		`{"jsonrpc":"2.0","id":7,"error":null,"result":` + less + `}`:       "reply 7",
		`{"jsonrpc":"2.0","id":7,"result":` + deep + `}`:                    "deep 7",
		`{"result":` + deep + `,"id":7,"jsonrpc":"2.0"}`:                    "deep 7",
		`{"jsonrpc":"1.0","id":7,"result":{}}`:                              "damage 7",
		`{"id":7,"result":"\"},{\"id\":8"}`:                                 "damage 7",
		`{"jsonrpc":"2.0","id":7,"error":"no"}`:                             "damage 7",
		`{"jsonrpc":"2.0","id":7,"result":` + less + ` x}`:                  "damage 7",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`: "damage <nil>",
		`{"jsonrpc":"2.0","id":[7],"result":{}}`:                            "damage <nil>",
		`{"jsonrpc":"2.0","method":"x","params":` + deep + `}`:              "nothing",
		`{"level":"info","msg":"started"}`:                                  "nothing",
		`{"id":7,"result":`:                                                 "nothing",
		`{"id":7,"result"}`:                                                 "nothing",
		`{}`:                                                                "nothing",
		`{]}`:                                                               "nothing",
		deep:                                                                "nothing",
		`hello`:                                                             "nothing",
		``:                                                                  "nothing",
	} {
		m, _, d := decode([]byte(text))
		got := "nothing"
		switch r, isReply := m.(*jsonrpc.Response); {
		case d != nil && d.deep:
			got = fmt.Sprint("deep ", d.id.Raw())
		case d != nil:
			got = fmt.Sprint("damage ", d.id.Raw())
		case isReply && r.Error != nil:
			got = fmt.Sprint("error ", r.ID.Raw())
		case isReply:
			got = fmt.Sprint("reply ", r.ID.Raw())
		case m != nil:
			got = "request"
		}
		if got != want {
			t.Errorf("%.60s: got %s, want %s", text, got, want)
		}
	}
}

func TestOutline(t *testing.T) {
	got, ok := outline([]byte(` { "a" : [1,{"b":2}] , "\u0063":"}," } `))
	want := map[string]string{"a": `[1,{"b":2}]`, "c": `"},"`}
	if !ok || !maps.EqualFunc(got, want, func(a json.RawMessage, b string) bool { return string(a) == b }) {
		t.Errorf("got %s", got)
	}
}
