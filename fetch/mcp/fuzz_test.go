package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzMessages holds that no line of a command breaks us, and that what is
// clean has messages in it.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"result":{}},{"x":1}]`))
	f.Add([]byte(`Starting... {"jsonrpc":"2.0","method":"x"}`))
	f.Add([]byte(`{"level":"info"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":[1],"error":"no"}`))
	f.Add([]byte(`{"result":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `,"id":7,"jsonrpc":"2.0"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		list, clean := messages(line)
		if clean && len(list) == 0 {
			t.Errorf("%q is clean, and no message", line)
		}
		for _, m := range list {
			if _, err := jsonrpc.EncodeMessage(m); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	})
}

// FuzzResults holds that no result of a server breaks what reads it.
func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"x"},{"type":"resource","resource":{"uri":"a","text":"b"}}],"structuredContent":{"a":1},"isError":true}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"tools":[{"name":1}],"nextCursor":""}`))
	f.Add([]byte(`{"content":{"a":[]},"contents":[null],"nextCursor":3,"tools":null}`))
	f.Add([]byte(`{"tools":null}`))
	f.Fuzz(func(t *testing.T, result []byte) {
		if !json.Valid(result) {
			return
		}
		for _, method := range []string{methodCall, methodRead, methodPrompt, methodTools} {
			contentOf(method, result)
			if out := forSDK(method, result); !json.Valid(out) {
				t.Errorf("the SDK gets %s", out)
			}
		}
		refusalIn(result)
		if items, _, ok := pageOf(result, "tools"); ok && items == nil {
			t.Errorf("%s has a list of tools, and none", bytes.TrimSpace(result))
		}
		errorIn(methodCall, result)
	})
}
