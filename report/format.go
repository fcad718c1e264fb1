package report

import "io"

// Format is one way to write a run.
type Format struct {
	Name        string
	Description Text
	Policy      Row
	Write       func(w io.Writer, doc *Document, o Options) error
}

// Options is how a run is written; it changes no fact. The zero value is plain
// English text of 80 columns.
type Options struct {
	Color   bool // terminal colours; only pretty has any
	Lang    Lang
	Width   int  // columns; 0 is 80
	Verbose bool // attempt by attempt
	// SummaryPath is the file that a GitHub step's summary is appended to; ""
	// writes none.
	SummaryPath string
	// Dir is the folder that file paths are made relative to; "" leaves them.
	Dir string
}

// Formats is the table of formats. A function and not a variable: the writers
// look formats up themselves.
func Formats() []Format {
	return []Format{
		{"pretty", Text{"for a person: grouped by origin, with what to do next", "para pessoas: agrupado por origem, com o que fazer"}, reading, writePretty},
		{"json", Text{"the whole report as one JSON document", "o relatório inteiro em um documento JSON"}, reading, writeJSON},
		{"ndjson", Text{"one JSON object a line: run, results, summary", "um objeto JSON por linha: run, resultados, summary"}, reading, writeNDJSON},
		{"junit", Text{"JUnit XML for CI; what was not measured is skipped, never passed", "JUnit XML para CI; o que não foi medido é skipped, nunca aprovado"}, skipping, writeJUnit},
		{"github", Text{"GitHub Actions: annotations at the declaration's lines, and the step's summary", "GitHub Actions: anotações nas linhas da declaração e o resumo do passo"}, reading, writeGitHub},
	}
}
