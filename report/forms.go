package report

import (
	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
)

// DeclaredForms are the forms of the blocks of a declaration that this package
// gives a meaning to, formats and profiles, for its JSON Schema.
func DeclaredForms() map[string]source.Form {
	formats := keys(judging(), cellsForm)
	return map[string]source.Form{
		"formats": formats,
		"profiles": source.Map(0, source.Either(source.Null, keysOf(map[string]source.Form{
			"extends": source.SomeText, "on": cellsForm, "formats": formats, "min_measured": ThresholdForm,
			"budget": source.TimeFrom(0), "wait": source.TimeFrom(0), "max_unmeasured": source.TimeFrom(0),
		}))),
	}
}

// ThresholdForm is what ParseThreshold reads.
var ThresholdForm = source.Matching(`^([0-9]+|0*([0-9]{1,2}|100)%)$`)

// judging are the formats that have cells.
func judging() (list []string) {
	for _, name := range formatNames() {
		if judges(name) == nil {
			list = append(list, name)
		}
	}
	return list
}

// cellsForm is {FINDING: DISPOSITION}; nothing unmeasured can pass.
func cellsForm(s *source.Schema) map[string]any {
	cells := map[string]source.Form{}
	for _, f := range checks.Findings() {
		var words []string
		for _, d := range Dispositions() {
			if measured(f) || d != Pass {
				words = append(words, string(d))
			}
		}
		cells[string(f)] = source.OneOf(words...)
	}
	return keysOf(cells)(s)
}

func keys(list []string, of source.Form) source.Form {
	forms := map[string]source.Form{}
	for _, key := range list {
		forms[key] = of
	}
	return keysOf(forms)
}

// keysOf is a mapping of known keys.
func keysOf(forms map[string]source.Form) source.Form {
	return func(s *source.Schema) map[string]any {
		properties := map[string]any{}
		for key, form := range forms {
			properties[key] = form(s)
		}
		return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	}
}
