package report

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// RenderFormats lists the formats for a person, each with its default row of
// the policy.
func RenderFormats(w io.Writer, o Options) error {
	var b strings.Builder
	rows := [][]string{findingsHeader(o.Lang)}
	for _, f := range Formats() {
		row := []string{f.Name}
		if f.DataOnly {
			row = append(row, Text{"data only: no finding fails", "só dados: nenhum achado reprova"}.In(o.Lang))
		} else {
			for _, d := range f.Policy {
				row = append(row, string(d))
			}
		}
		rows = append(rows, row)
	}
	lines := table(rows)
	b.WriteString(lines[0] + "\n")
	for i, f := range Formats() {
		b.WriteString(lines[i+1] + "\n")
		hanging(&b, o, 6, 6, f.Description.In(o.Lang))
	}
	return writeLines(w, b.String())
}

// formatJSON is a format in the list of them.
type formatJSON struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// DataOnly formats fail nothing, whatever the policy says.
	DataOnly bool `json:"data_only"`
	// OwnExitCodes is true where the exit code is not from the program's table.
	OwnExitCodes bool                           `json:"own_exit_codes"`
	Policy       map[checks.Finding]Disposition `json:"policy"`
}

// MarshalFormats gives the list of formats in JSON.
func MarshalFormats(lang Lang) ([]byte, error) {
	var list []formatJSON
	for _, f := range Formats() {
		row := map[checks.Finding]Disposition{}
		for i, finding := range checks.Findings() {
			row[finding] = f.Policy[i]
		}
		list = append(list, formatJSON{f.Name, f.Description.In(lang), f.DataOnly, f.Exit != nil, row})
	}
	return json.MarshalIndent(list, "", "  ")
}

// FormatNames lists the formats' names in the order of their table.
func FormatNames() []string { return formatNames() }

// UnknownLine is what a monitoring plugin prints where it could not begin.
func UnknownLine(err error) string {
	return "FONTEVIVA UNKNOWN - " + nagiosText(strings.TrimSpace(err.Error()), 400) + "\n"
}
