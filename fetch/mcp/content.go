package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/fonteviva/fonteviva/fetch"
)

// item is one content of a result; a prompt's message holds one.
type item struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	Resource *item   `json:"resource"`
	Content  *item   `json:"content"`
}

func (i *item) words() (string, bool) {
	switch {
	case i.Text != nil:
		return *i.Text, true
	case i.Resource != nil:
		return i.Resource.words()
	case i.Content != nil:
		return i.Content.words()
	}
	return "", false
}

// contentOf finds what of a result is data: its structuredContent, or its text,
// which may be JSON. A result without either is judged as it is.
func contentOf(method string, result json.RawMessage) (body []byte, text string) {
	var r struct {
		Structured json.RawMessage   `json:"structuredContent"`
		Content    []json.RawMessage `json:"content"`
		Contents   []json.RawMessage `json:"contents"`
		Messages   []json.RawMessage `json:"messages"`
	}
	_ = json.Unmarshal(result, &r)
	var words []string
	for _, raw := range append(append(r.Content, r.Contents...), r.Messages...) {
		var i item
		if json.Unmarshal(raw, &i) != nil {
			continue
		}
		if s, ok := i.words(); ok {
			words = append(words, s)
		}
	}
	text = strings.Join(words, "\n")
	switch {
	case len(r.Structured) > 0 && !bytes.Equal(r.Structured, []byte("null")):
		return r.Structured, text
	case method == methodCall && len(r.Content) > 0 && len(words) == 0, method == methodPrompt, method == methodPing:
		return result, text
	case len(words) == 1 && fetch.ValidJSON([]byte(text)):
		return []byte(text), text
	}
	return []byte(text), text
}

// isResult reports whether a result is one that the protocol allows: an object,
// and of a tool one that holds a list of contents or structuredContent, unless
// it says that the tool failed or asks for input.
func isResult(method string, result json.RawMessage) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || members == nil {
		return false
	}
	if method != methodCall {
		return true
	}
	var failed *bool
	if raw := members["isError"]; raw != nil && json.Unmarshal(raw, &failed) != nil {
		return false // it says that it failed, or not, in no way that counts
	}
	if _, refusal := refusalIn(result); refusal != "" {
		return true
	}
	given := func(key string) bool { return len(members[key]) > 0 && !bytes.Equal(members[key], []byte("null")) }
	var list []json.RawMessage
	return given("structuredContent") || given("content") && json.Unmarshal(members["content"], &list) == nil
}

// refusalIn says whether a tool's result is a failure, or a question.
func refusalIn(result json.RawMessage) (isError bool, refusal fetch.Detail) {
	var r struct {
		IsError bool   `json:"isError"`
		Type    string `json:"resultType"`
	}
	_ = json.Unmarshal(result, &r)
	switch {
	case r.IsError:
		return true, fetch.ToolError
	case r.Type == "input_required":
		return false, fetch.InputRequired
	}
	return false, ""
}
