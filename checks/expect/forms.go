package expect

import (
	"time"

	"github.com/fonteviva/fonteviva/checks/source"
)

// tokenPattern is a token of RFC 9110 §5.6.2.
const tokenPattern = "^[-!#$%&'*+.^_`|~0-9A-Za-z]+$"

// The forms of values of this package, for the JSON Schema of a declaration.
var (
	severityForm = source.OneOf(string(Fail), string(Warn))
	statusForm   = source.AtMost(100, 999, `^[1-9][0-9]{2}$|^[1-9][xX]{2}$`)
	nodePathForm = source.Matching(`^[@$]`)

	maxDurationForm = source.Either(source.TimeFrom(time.Millisecond), maxDurationTable.Form)

	// StatusForm is status:, a number, a class or a list of them.
	StatusForm = source.OneOrList(1, statusForm)
	// EmptyForm is empty_when:.
	EmptyForm = source.OneOrList(0, source.Some(emptyTable.Form))
)

// Form is expect:.
func Form(s *source.Schema) map[string]any { return table.Form(s) }

// CSVForm is csv:.
func CSVForm(s *source.Schema) map[string]any { return csvTable.Form(s) }

// CaptureForm is one capture.
func CaptureForm(s *source.Schema) map[string]any {
	beside := map[string][]string{"namespaces": {"xpath"}, "max_by": {"path"}, "min_by": {"path"}, "take": {"path"}}
	return source.With(source.With(captureTable.Form, source.ExactlyOne("path", "xpath", "header")), map[string]any{"dependentRequired": beside})(s)
}

// namespacesForm is the URI of each prefix of XPath expressions.
var namespacesForm = source.NamedMap(0, `^[^: ]+$`, source.SomeText)

// xpathListForm is a list of xpath assertions; the table differs by the declared
// prefixes only.
func xpathListForm(s *source.Schema) map[string]any {
	return source.List(1, xpathAssertions.Form)(s)
}

var xpathAssertions = (&xpathDraft{}).assertionTable()

func anyOfKeys(keys ...string) map[string]any {
	list := make([]any, len(keys))
	for i, k := range keys {
		list[i] = map[string]any{"required": []string{k}}
	}
	return map[string]any{"anyOf": list}
}
