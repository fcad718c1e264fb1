package report

import (
	"encoding/json"

	"github.com/fonteviva/fonteviva/checks"
)

// policyJSON is the resolved policy in JSON.
type policyJSON struct {
	Profile        string            `json:"profile"`
	BudgetMS       *int64            `json:"budget_ms"`
	BudgetEndWarns bool              `json:"budget_end_warns"`
	MinMeasured    *string           `json:"min_measured"`
	WaitMS         *int64            `json:"wait_ms"`
	Formats        []policyFormatRow `json:"formats"`
}

type policyFormatRow struct {
	Name         string `json:"name"`
	OK           Cell   `json:"ok"`
	Drift        Cell   `json:"drift"`
	Respondeu    Cell   `json:"respondeu"`
	Indisponivel Cell   `json:"indisponivel"`
	Ambiguo      Cell   `json:"ambiguo"`
	Alheio       Cell   `json:"alheio"`
}

// MarshalJSON writes the resolved table, each cell with where it comes from.
func (p *Policy) MarshalJSON() ([]byte, error) {
	out := policyJSON{Profile: p.Profile.Name, BudgetEndWarns: p.Profile.BudgetEndWarns}
	if d := p.Profile.Budget.Milliseconds(); d != 0 {
		out.BudgetMS = &d
	}
	if d := p.Profile.Wait.Milliseconds(); d != 0 {
		out.WaitMS = &d
	}
	if p.MinMeasured != nil {
		s := p.MinMeasured.String()
		out.MinMeasured = &s
	}
	for _, name := range formatNames() {
		out.Formats = append(out.Formats, policyFormatRow{
			Name: name, OK: p.Cell(name, checks.OK), Drift: p.Cell(name, checks.Drift), Respondeu: p.Cell(name, checks.Respondeu),
			Indisponivel: p.Cell(name, checks.Indisponivel), Ambiguo: p.Cell(name, checks.Ambiguo), Alheio: p.Cell(name, checks.Alheio),
		})
	}
	return json.Marshal(out)
}
