package checks

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch/mcp"
)

// The forms of what several tables hold, for the JSON Schema of a declaration.
const (
	tokenPattern  = "^[-!#$%&'*+.^_`|~0-9A-Za-z]+$" // RFC 9110 §5.6.2
	namePattern   = `^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`
	envPattern    = `^[A-Za-z_][A-Za-z0-9_]*$`
	targetPattern = `^$|^/([^#% \x00-\x1f\x7f]|%[0-9A-Fa-f]{2})*$|^\$\{each`
)

var (
	baseURLForm    = source.Matching(`^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s\\]+(/[^?#\s\\]*)?$|\$\{`)
	proxyForm      = source.Matching(`^(none)?$|^([Hh][Tt][Tt][Pp][Ss]?|[Ss][Oo][Cc][Kk][Ss]5[Hh]?)://.|\$\{`)
	credentialForm = source.Matching(`^(\$\{env\.[A-Za-z_][A-Za-z0-9_]*\})+$`)
	headersForm    = source.NamedMap(0, tokenPattern, source.AnyText)
	paramsForm     = source.Map(0, source.OneOrList(0, source.AnyText))
	retryOnForm    = source.List(0, source.Either(source.OneOf(retryableKinds...), source.Whole(100, 999)))
	tagForm        = source.Matching(namePattern + `|\$\{each`)
	eachValueForm  = source.With(source.AnyText, map[string]any{"not": map[string]any{"type": "string", "pattern": `\$\{|\$$`}})
)

func originForm(s *source.Schema) map[string]any {
	return source.With(originKeys.Form, source.ExactlyOne("url", "mcp"))(s)
}

func probeForm(s *source.Schema) map[string]any {
	return source.With(probeKeys.Form, source.ExactlyOne("get", "request", "mcp"))(s)
}

func requestForm(s *source.Schema) map[string]any {
	var oneBody []any
	for i, a := range bodyForms {
		for _, b := range bodyForms[i+1:] {
			oneBody = append(oneBody, map[string]any{"required": []string{a, b}})
		}
	}
	return source.With(requestKeys.Form, map[string]any{"not": map[string]any{"anyOf": oneBody}})(s)
}

func mcpForm(s *source.Schema) map[string]any {
	asks := source.ExactlyOne("call", "list", "read", "prompt", "initialize", "ping")
	return source.Either(source.OneOf(string(mcp.Initialize), string(mcp.Ping)), source.With(mcpCallKeys.Form, asks))(s)
}

// knownRule is that something says why a failure is known.
var knownRule = map[string]any{"anyOf": []any{map[string]any{"required": []string{"issue"}}, map[string]any{"required": []string{"reason"}}}}

// Schema is a JSON Schema (2020-12) of a declaration file, made of the tables
// that read it. blocks are the forms of the blocks that other rooms give a
// meaning to: settings, formats and profiles.
func Schema(blocks map[string]source.Form) ([]byte, error) {
	s := &source.Schema{Defs: map[string]any{}, Blocks: blocks}
	root := fileKeys.Form(s)
	if len(s.Formless) > 0 {
		return nil, fmt.Errorf("keys without a form: %s", strings.Join(s.Formless, "; "))
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "fonteviva declaration"
	root["$defs"] = s.Defs
	return json.MarshalIndent(root, "", "  ")
}
