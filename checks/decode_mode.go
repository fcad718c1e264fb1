package checks

import (
	"net/http"
	"slices"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// readerOfJSON is the key that reads the body as JSON, "" for none.
func (d *probeDraft) readerOfJSON() (key string, at source.Node) {
	switch {
	case d.Expect.NeedsJSON():
		return "expect:", d.expect
	case slices.ContainsFunc(d.Captures, (*expect.Capture).NeedsJSON):
		return "capture:", d.capture
	case !d.emptyWhen.IsZero():
		return "empty_when:", d.emptyWhen
	case d.Next != nil:
		return "next:", d.next
	}
	return "", d.expect
}

// readerOfXML is the key that reads the body as XML, "" for none.
func (d *probeDraft) readerOfXML() string {
	switch {
	case d.Expect.NeedsXML():
		return "expect:"
	case slices.ContainsFunc(d.Captures, (*expect.Capture).NeedsXML):
		return "capture:"
	}
	return ""
}

// settleMode decides what the body has to be.
func (d *probeDraft) settleMode() {
	reader, at := d.readerOfJSON()
	readerOfXML := d.readerOfXML()
	readsJSON, readsXML := reader != "", readerOfXML != ""
	if !d.as.IsZero() {
		s, ok := d.as.Enum(expect.Modes...)
		source.Optional(&d.As, expect.Mode(s), ok)
	} else if readsXML {
		d.As = expect.AsXML
	}
	if d.Request.Method == http.MethodHead && (readsJSON || readsXML || d.Expect.NeedsBody() || d.As != "" && d.As != expect.AsText) {
		d.request.Problem("ask with GET", "the answer to a HEAD has no body (RFC 9110 §9.3.2), and this probe reads it")
	}
	// csv and ndjson arrive as text and become JSON afterwards.
	d.JSON = d.As == expect.AsJSON || d.As == "" && (readsJSON || d.Expect.PrefersJSON())
	if d.JSON || d.As == expect.AsCSV || d.As == expect.AsNDJSON {
		d.Expect = d.Expect.OfJSON()
	}
	if err := fetch.CheckCharset(d.CSV.Encoding); err != nil {
		d.csv.Problem("such as utf-8, iso-8859-1 or windows-1252", "encoding: %v", err)
	}
	if !d.as.IsZero() {
		at = d.as
	}
	switch {
	case readsJSON && readsXML:
		at.Problem("put the two into two probes: they share one request", "the body is read as JSON by %s and as XML by xpath: under %s", reader, readerOfXML)
	case readsJSON && (d.As == expect.AsText || d.As == expect.AsXML):
		at.Problem("write as: json, csv or ndjson", "as: %s, but %s reads the body as JSON", d.As, reader)
	case readsXML && d.As != expect.AsXML:
		at.Problem("write as: xml, or leave as: out", "as: %s, but %s reads the body as XML", d.As, readerOfXML)
	case !d.csv.IsZero() && d.As != expect.AsCSV:
		d.csv.Problem("add as: csv", "csv: says how a CSV is written, and the body is none")
	}
}
