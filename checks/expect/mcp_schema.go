package expect

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/expect/jsonschema"
	"github.com/fonteviva/fonteviva/checks/source"
)

// outputSchema is output_schema:, that a tool's structuredContent follows the
// schema that the server itself lists for it.
type outputSchema Severity

func decodeOutputSchema(s *Spec, n source.Node) {
	if v, ok := n.Bool(); !ok {
		return
	} else if !v {
		n.Problem("remove it", "output_schema: false expects nothing")
		return
	}
	keepFirst(&s.asks().Call, "output_schema")
	s.add(outputSchema(Fail))
}

func (e outputSchema) evaluate(ctx context.Context, o *Observation, f *findings) {
	if o.MCP == nil || o.MCP.IsError {
		return // what failed has no output
	}
	say := func(want, got string) {
		f.add(Mismatch{Code: "output_schema", Severity: Severity(e), Want: want, Got: got})
	}
	var tool struct {
		Schema json.RawMessage `json:"outputSchema"`
	}
	var result struct {
		Content json.RawMessage `json:"structuredContent"`
	}
	_ = json.Unmarshal(o.MCP.Tool, &tool)
	_ = json.Unmarshal(o.MCP.Result, &result)
	switch {
	case o.MCP.Tool == nil:
		say("a tool that the server lists", "it is not in the list, so that nothing can be held against its schema")
	case len(tool.Schema) == 0 || string(tool.Schema) == "null":
		say("a listed outputSchema", "none")
	case len(result.Content) == 0 || string(result.Content) == "null":
		say("structuredContent that follows the listed outputSchema", "none")
	default:
		e.validate(ctx, tool.Schema, result.Content, f, say)
	}
}

var errNoPart = errors.New("a listed schema has no other files")

func (e outputSchema) validate(ctx context.Context, schema, content []byte, f *findings, say func(want, got string)) {
	const name = "outputSchema.json"
	compiled, err := jsonschema.Compile(name, jsonschema.Options{Read: func(part string) ([]byte, error) {
		if part != name {
			return nil, errNoPart
		}
		return schema, nil
	}})
	if err != nil {
		say("a listed outputSchema that is a JSON Schema", err.Error())
		return
	}
	found := 0
	err = compiled.Validate(ctx, jsonpath.NewDocument(content), func(fault jsonschema.Fault) bool {
		if found++; found > maxPerCheck {
			return true
		}
		path, got := fault.At.Location().String(), fault.Got
		if got == "" {
			got = typed(fault.At.Value())
		}
		f.add(Mismatch{Code: "output_schema", Path: &path, Severity: Severity(e), Want: fault.Want + " (" + fault.Where + ")", Got: got})
		return true
	})
	switch {
	case errors.Is(err, jsonschema.ErrCost):
		f.short(Mismatch{Code: "output_schema", Want: "structuredContent that the schema can judge"}, err)
	case err != nil && ctx.Err() == nil:
		say("structuredContent that the schema can judge", err.Error())
	}
	if found > maxPerCheck {
		say("what the schema says", "and "+strconv.Itoa(found-maxPerCheck)+" more")
	}
}
