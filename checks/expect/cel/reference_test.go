package cel

import (
	"encoding/json"
	"testing"
	"time"

	reference "cel.dev/cel-go/cel"
)

// TestReference holds that the reference implementation agrees: what is true
// here is true there, and what is refused here is refused there.
func TestReference(t *testing.T) {
	env, err := reference.NewEnv(
		reference.Variable("body", reference.DynType), reference.Variable("status", reference.IntType),
		reference.Variable("headers", reference.MapType(reference.StringType, reference.StringType)),
		reference.Variable("duration", reference.DurationType), reference.Variable("captures", reference.MapType(reference.StringType, reference.DynType)),
		reference.CrossTypeNumericComparisons(true))
	if err != nil {
		t.Fatal(err)
	}
	var body any
	if err := json.Unmarshal([]byte(answer), &body); err != nil {
		t.Fatal(err)
	}
	vars := map[string]any{"body": body, "status": 200, "duration": 1500 * time.Millisecond,
		"headers": map[string]string{"content-type": "application/json"}, "captures": map[string]any{"last": "31/08/2026"}}
	for _, text := range holds {
		ast, issues := env.Compile(text)
		if issues.Err() != nil {
			t.Errorf("%s\n  is refused: %v", text, issues.Err())
			continue
		}
		program, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := program.Eval(vars)
		if err != nil || got.Value() != true {
			t.Errorf("%s\n  %v, %v", text, got, err)
		}
	}
	for _, text := range []string{`status = 200`, `status == "200"`, `status + "a" == ""`, `size(status) > 1`, `[1].all(x, x)`, `stat == 200`, `has(body)`, `"\q" == ""`,
		`9223372036854775808 > 1`, `1 +`, `status.x == 1`, `headers.etag == 1`, `body.nome.matches(1)`} {
		if _, issues := env.Compile(text); issues.Err() == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
