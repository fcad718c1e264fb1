package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
)

// RenderPolicy writes the resolved table for a person. A number beside a cell
// points to the rule that put it there; cells without one are the default.
func RenderPolicy(w io.Writer, p *Policy, o Options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n\n", Text{"profile", "perfil"}.In(o.Lang), Inert(p.Profile.Name, 0), p.Profile.For.In(o.Lang))
	var notes []string
	rows := [][]string{findingsHeader(o.Lang)}
	for _, name := range formatNames() {
		row := []string{name}
		for _, f := range checks.Findings() {
			row = append(row, cellText(p.Cell(name, f), &notes))
		}
		rows = append(rows, row)
	}
	b.WriteString(strings.Join(table(rows), "\n") + "\n\n")
	for i, from := range notes {
		hanging(&b, o, 2, 6, fmt.Sprintf("[%d] %s", i+1, Inert(from, 0)))
	}
	for _, t := range p.Profile.rules(p) {
		hanging(&b, o, 2, 4, t.In(o.Lang))
	}
	return writeLines(w, b.String())
}

// findingsHeader is the first row of a table with a column for each finding.
func findingsHeader(lang Lang) []string {
	row := []string{Text{"format", "formato"}.In(lang)}
	for _, f := range checks.Findings() {
		row = append(row, string(f))
	}
	return row
}

// table lays rows out as lines, every column as wide as its longest cell: six
// findings have to fit 80 columns. A row's last cell may be alone and longer.
func table(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i == 0 || len(row) == len(rows[0]) {
				widths[i] = max(widths[i], columns(cell))
			}
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		for i, cell := range row {
			lines[n] += "  " + pad(cell, widths[i])
		}
	}
	return lines
}

// hanging writes a text in lines that fit the width, 80 where it is not known,
// the further ones at another indentation.
func hanging(b *strings.Builder, o Options, indent, further int, text string) {
	width := o.Width
	if width <= 0 {
		width = 80
	}
	for i, line := range wrap(text, width-further) {
		if i == 1 {
			indent = further
		}
		b.WriteString(strings.Repeat(" ", indent) + line + "\n")
	}
}

// cellText writes a cell, with the number of its rule.
func cellText(c Cell, notes *[]string) string {
	if c.From == "default" {
		return string(c.Disposition)
	}
	for i, from := range *notes {
		if from == c.From {
			return string(c.Disposition) + " [" + strconv.Itoa(i+1) + "]"
		}
	}
	*notes = append(*notes, c.From)
	return string(c.Disposition) + " [" + strconv.Itoa(len(*notes)) + "]"
}

// rules says what is true beside the table.
func (profile Profile) rules(p *Policy) []Text {
	rules := []Text{{
		"what was not asked because the run ended, or because what it needs broke, is skip everywhere",
		"o que não foi perguntado porque a execução acabou, ou porque aquilo de que depende quebrou, é skip em todo lugar",
	}}
	if profile.Budget != 0 {
		rules = append(rules, textf("run budget: %s", "orçamento da execução: %s", source.FormatDuration(profile.Budget)))
	}
	if profile.BudgetEndWarns {
		rules = append(rules, Text{
			"the end of the run's budget is a warning, not exit 5",
			"o fim do orçamento da execução é um aviso, não a saída 5",
		})
	}
	if p.MinMeasured != nil {
		rules = append(rules, textf("at least %s must be measured, else exit 5", "pelo menos %s deve ser medido, senão saída 5", p.MinMeasured))
	}
	if profile.Wait != 0 {
		rules = append(rules, textf("repeats for up to %s until the source delivers", "repete por até %s até a fonte entregar", source.FormatDuration(profile.Wait)))
	}
	if profile.MaxUnmeasured != 0 {
		rules = append(rules, textf("max_unmeasured: %s where a probe says none; not measured for longer is exit 5, whatever the cells say",
			"max_unmeasured: %s onde a sonda não diz; sem medição por mais tempo é saída 5, digam as células o que disserem", source.FormatDuration(profile.MaxUnmeasured)))
	}
	if profile.AgeUnknownFails {
		rules = append(rules, Text{
			"what was not measured fails (5) where no history tells for how long",
			"o que não foi medido reprova (5) onde nenhum histórico diz há quanto tempo",
		})
	}
	return rules
}

// writeLines writes a text without blanks at the ends of lines.
func writeLines(w io.Writer, text string) error {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}
