package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fonteviva/fonteviva/fetch"
)

// damage is a text in the place of a reply that is no reply. As the error of a
// response it goes the way of one, to the call that it was meant for.
type damage struct {
	id   jsonrpc.ID // of the call; invalid where the text does not say
	deep bool       // it is nested deeper than we follow
	text []byte
}

// Error says what is wrong.
func (d *damage) Error() string {
	if d.deep {
		return "the reply is nested deeper than we follow"
	}
	return "the reply is no JSON-RPC message"
}

// fault is what the damage is called.
func (d *damage) fault() fetch.Fault {
	if d.deep {
		return fetch.Fault{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CauseMaxDepth}
	}
	return fetch.Fault{Kind: fetch.MalformedBody, Outcome: fetch.OutcomeSuccess, Detail: fetch.NotRPC}
}

// decode reads a message. The SDK follows a thousand levels of nesting, which
// is less than all other JSON is followed here: a deeper reply is read as far
// as it must be known, its result is left as it is, and it is ours alone. What is
// no message is damage where it stands in the place of a reply; no message and
// no damage is anything else.
func decode(text []byte) (m jsonrpc.Message, ours bool, d *damage) {
	if m, err := jsonrpc.DecodeMessage(text); err == nil {
		return m, false, nil
	}
	o, ok := outline(text)
	if !ok || o["method"] != nil || o["result"] == nil && o["error"] == nil {
		return nil, false, nil
	}
	d = &damage{deep: fetch.TooDeep(text), text: bytes.Clone(text)}
	var id any
	if json.Unmarshal(o["id"], &id) == nil {
		d.id, _ = jsonrpc.MakeID(id) // invalid for what is no id
	}
	var failure *jsonrpc.Error
	sound := !d.deep && d.id.IsValid() && string(o["jsonrpc"]) == `"2.0"` && fetch.ValidJSON(text)
	if !sound || o["error"] != nil && json.Unmarshal(o["error"], &failure) != nil {
		return nil, false, d
	}
	r := &jsonrpc.Response{ID: d.id, Result: bytes.Clone(o["result"])}
	if failure != nil { // a nil pointer would be an error
		r.Error = failure
	}
	return r, true, nil
}

// messages decodes a line: one message, a batch (2025-03-26 had them), or one
// message behind a text that somebody wrote without an end of line.
func messages(line []byte) (list []jsonrpc.Message, clean bool) {
	if m, sound := messageIn(line); m != nil {
		return []jsonrpc.Message{m}, sound
	}
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) == nil {
		clean = len(batch) > 0
		for _, raw := range batch {
			m, sound := messageIn(raw)
			if m != nil {
				list = append(list, m)
			}
			clean = clean && sound
		}
		return list, clean
	}
	if at := bytes.IndexByte(line, '{'); at > 0 {
		if m, _ := messageIn(line[at:]); m != nil {
			return []jsonrpc.Message{m}, false
		}
	}
	return nil, false
}

// messageIn is one message, nil where there is none. A reply that is none goes
// to its call as a failure: whoever waited for another would wait in vain.
func messageIn(text []byte) (m jsonrpc.Message, sound bool) {
	m, _, d := decode(text)
	if d != nil {
		return &jsonrpc.Response{ID: d.id, Error: d}, false
	}
	return m, m != nil
}

// outline is the members of an object as they stand, however deep they are and
// whether or not they are sound; false for what is no object.
func outline(text []byte) (map[string]json.RawMessage, bool) {
	text = bytes.TrimSpace(text)
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return nil, false
	}
	members := map[string]json.RawMessage{}
	for rest := text[1 : len(text)-1]; len(bytes.TrimSpace(rest)) > 0; {
		name, more, colon := cut(rest, ':')
		value, after, _ := cut(more, ',')
		key, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(name))
		if value = bytes.TrimSpace(value); !colon || err != nil || len(value) == 0 {
			return nil, false
		}
		members[string(key)], rest = value, after
	}
	return members, true
}

// cut is bytes.Cut at a byte that stands in no text, object or array.
func cut(text []byte, at byte) (before, after []byte, found bool) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == at && depth == 0:
			return text[:i], text[i+1:], true
		}
	}
	return text, nil, false
}
