package report

import "io"

// Format is one way to write a run.
type Format struct {
	Name        string
	Description Text
	Policy      Row
	Write       func(w io.Writer, doc *Document, o Options) error
	// DataOnly says that the format carries numbers for a reader who judges
	// them: no finding fails, and nothing overrides its row.
	DataOnly bool
	// Public says that other users read the file: its mode is 0644 whatever
	// the umask.
	Public bool
	// Beside writes what goes elsewhere than the report, whether or not that can
	// be written; nil where there is nothing.
	Beside func(doc *Document, o Options) error
	// Exit is the exit code where the format has codes of its own; nil is the
	// program's own table.
	Exit func(d *Decision) int
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
	// Root is the repository's own folder, where a CI tells it: its annotations
	// and links know files by their path in it; "" where Dir is that folder.
	Root string
	// Watch wraps what a further report is written to where that may block, such
	// as a pipe; nil wraps nothing.
	Watch func(io.Writer) io.Writer
}

// Formats is the table of formats. A function and not a variable: the writers
// look formats up themselves.
func Formats() []Format {
	return []Format{
		{Name: "pretty", Policy: reading, Write: writePretty,
			Description: Text{"for a person: grouped by origin, with what to do next", "para pessoas: agrupado por origem, com o que fazer"}},
		{Name: "json", Policy: reading, Write: writeJSON,
			Description: Text{"the whole report as one JSON document", "o relatório inteiro em um documento JSON"}},
		{Name: "ndjson", Policy: reading, Write: writeNDJSON,
			Description: Text{"one JSON object a line: run, results, summary", "um objeto JSON por linha: run, resultados, summary"}},
		{Name: "junit", Policy: skipping, Write: writeJUnit,
			Description: Text{"JUnit XML for CI; what was not measured is skipped, never passed", "JUnit XML para CI; o que não foi medido é skipped, nunca aprovado"}},
		{Name: "github", Policy: reading, Write: writeGitHub, Beside: writeStepSummary,
			Description: Text{"GitHub Actions: annotations at the declaration's lines, and the step's summary", "GitHub Actions: anotações nas linhas da declaração e o resumo do passo"}},
		{Name: "tap", Policy: skipping, Write: tapWriter("tap", 13),
			Description: Text{"Test Anything Protocol, version 13", "Test Anything Protocol, versão 13"}},
		{Name: "tap14", Policy: skipping, Write: tapWriter("tap14", 14),
			Description: Text{"Test Anything Protocol, version 14", "Test Anything Protocol, versão 14"}},
		{Name: "ctrf", Policy: skipping, Write: writeCTRF,
			Description: Text{"Common Test Report Format, JSON for CI", "Common Test Report Format, JSON para CI"}},
		{Name: "gitlab", Policy: skipping, Write: writeGitLab,
			Description: Text{"JUnit XML as GitLab reads it, within its limits", "JUnit XML como o GitLab lê, dentro dos limites dele"}},
		{Name: "markdown", Policy: reading, Write: writeMarkdown,
			Description: Text{"a Markdown page with tables", "uma página Markdown com tabelas"}},
		{Name: "html", Policy: reading, Write: writeHTML,
			Description: Text{"one self-contained page: results, mismatches, a waterfall of every attempt", "uma página autônoma: resultados, divergências e a cascata de cada tentativa"}},
		{Name: "nagios", Policy: monitoring, Write: writeNagios, Exit: nagiosExit,
			Description: Text{"a monitoring plugin's line and its exit code 0, 1, 2 or 3", "a linha de um plugin de monitoração e a sua saída 0, 1, 2 ou 3"}},
		{Name: "openmetrics", Policy: counting, Write: writeOpenMetrics, DataOnly: true,
			Description: Text{"numbers in OpenMetrics 1.0, for whoever scrapes them", "números em OpenMetrics 1.0, para quem os coleta"}},
		{Name: "textfile", Policy: counting, Write: writeTextfile, DataOnly: true, Public: true,
			Description: Text{"numbers in Prometheus' text format, for the folder that node_exporter reads (*.prom)", "números no formato de texto do Prometheus, para a pasta que o node_exporter lê (*.prom)"}},
	}
}
