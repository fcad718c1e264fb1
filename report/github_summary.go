package report

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// summaryBudget is what a step's summary may hold in all: beyond 1 MiB the
// whole of it is thrown away, and other commands of the step write there too.
const summaryBudget = 900 << 10

// writeStepSummary appends the summary to the step's file, if there is one.
func writeStepSummary(doc *Document, o Options) error {
	if o.SummaryPath == "" {
		return nil
	}
	return appendSummaryFile(o.SummaryPath, doc, o)
}

// appendSummaryFile appends the run to the step's summary, at most what is
// left of the budget.
func appendSummaryFile(path string, doc *Document, o Options) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o644) // see openTarget
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	_, err = file.WriteString(stepSummary(doc, o, summaryBudget-info.Size()))
	return err
}

// stepSummary is the Markdown of a run in at most so many bytes; "" where not
// even a note fits.
func stepSummary(doc *Document, o Options, budget int64) string {
	cut := "\n" + Text{"The rest was cut: the step's summary is full.", "O resto foi cortado: o resumo do passo está cheio."}.In(o.Lang) + "\n"
	left := budget - int64(len(cut))
	var b strings.Builder
	write := func(s string) bool {
		if left -= int64(len(s)); left < 0 {
			if int64(b.Len()+len(cut)) <= budget {
				b.WriteString(cut)
			}
			return false
		}
		b.WriteString(s)
		return true
	}
	if !write(summaryHead(doc, o.Lang)) {
		return b.String()
	}
	worst := worstFirst(doc, "github")
	if len(worst) == 0 {
		return b.String()
	}
	if !write(summaryTable(o.Lang)) {
		return b.String()
	}
	for _, r := range worst {
		if !write(summaryRow(doc, r, o)) {
			return b.String()
		}
	}
	write("\n")
	return b.String()
}
