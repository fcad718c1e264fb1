package report

import (
	"io"
	"strings"

	"github.com/fatih/color"

	"github.com/fonteviva/fonteviva/checks"
)

// printer writes wrapped, indented and perhaps coloured lines. Every line of a
// person's format goes through it.
type printer struct {
	w     io.Writer
	b     []byte
	width int
	err   error

	bold, ok, bad, warn, dim, loud *color.Color
}

func newPrinter(w io.Writer, o Options) *printer {
	p := &printer{w: w, width: o.Width}
	if p.width <= 0 {
		p.width = 80
	}
	for _, s := range []struct {
		into  **color.Color
		attrs []color.Attribute
	}{
		{&p.bold, []color.Attribute{color.Bold}}, {&p.ok, []color.Attribute{color.FgGreen}}, {&p.bad, []color.Attribute{color.FgRed}},
		{&p.warn, []color.Attribute{color.FgYellow}}, {&p.dim, []color.Attribute{color.Faint}},
		{&p.loud, []color.Attribute{color.Bold, color.FgBlack, color.BgYellow}},
	} {
		*s.into = color.New(s.attrs...)
		// Whoever asks decides, not the terminal that the process stands in.
		if o.Color {
			(*s.into).EnableColor()
		} else {
			(*s.into).DisableColor()
		}
	}
	return p
}

// style is a finding's colour.
func (p *printer) style(finding string) *color.Color {
	switch checks.Finding(finding) {
	case checks.OK:
		return p.ok
	case checks.Drift, checks.Respondeu, checks.Alheio:
		return p.bad
	}
	return p.warn
}

// line writes a text at an indentation; what does not fit goes on two columns
// further in.
func (p *printer) line(indent int, style *color.Color, text string) {
	p.hang(indent, indent+2, style, text)
}

// hang writes a text whose further lines stand at another indentation.
func (p *printer) hang(indent, further int, style *color.Color, text string) {
	for i, part := range wrap(text, p.width-further) {
		if i == 1 {
			indent = further
		}
		part = GuardLine(strings.TrimRight(part, " "))
		if style != nil {
			part = style.Sprint(part)
		}
		p.b = append(p.b, strings.Repeat(" ", indent)...)
		p.b = append(append(p.b, part...), '\n')
	}
	if p.err == nil && len(p.b) > flushAt {
		p.b, p.err = flush(p.w, p.b, 0)
	}
}

// field writes a label and its text, the text's further lines below its first.
func (p *printer) field(indent int, label, text string) {
	p.labelled(indent, label, wrap(text, p.width-indent-labels))
}

// address is field for a text with an address that we asked, which is never
// cut: it is for pasting.
func (p *printer) address(indent int, label, text string) {
	p.labelled(indent, label, wrapWords(text, p.width-indent-labels, false))
}

// command writes a label and a text to paste, on one line however long it is.
func (p *printer) command(indent int, label, text string) {
	p.labelled(indent, label, []string{text})
}

// labels is how wide the column of labels is.
const labels = 12

func (p *printer) labelled(indent int, label string, lines []string) {
	for i, part := range lines {
		head := strings.Repeat(" ", labels)
		if i == 0 {
			head = pad(label, labels-1) + " "
		} else {
			part = GuardLine(part)
		}
		p.b = append(p.b, strings.Repeat(" ", indent)...)
		p.b = append(p.b, p.dim.Sprint(head)...)
		p.b = append(append(p.b, strings.TrimRight(part, " ")...), '\n')
	}
}

func (p *printer) blank() { p.b = append(p.b, '\n') }

func (p *printer) flush() error {
	if p.err != nil {
		return p.err
	}
	_, err := flush(p.w, p.b, 0)
	return err
}
