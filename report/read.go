package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// MaxInput bounds a report that is read, in bytes: about a hundred thousand
// results.
const MaxInput = 256 << 20

// ReadError is a report that cannot be read, with its line (from 1).
type ReadError struct {
	Line int
	Msg  string
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("line %d of the report: %s", e.Line, e.Msg)
}

// Read reads a report as the json or ndjson format wrote it, and tells the two
// apart by itself. An ndjson that ends before its summary is read as far as it
// goes; its document carries the degradation FeatureReport, so that Decide
// never lets it pass. Anything else that is not a whole report is an error.
func Read(r io.Reader) (*Document, error) { return read(r, MaxInput) }

func read(r io.Reader, limit int64) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("the report cannot be read: %w", err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("the report is larger than %d MiB", limit>>20)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("there is no report to read: the input is empty")
	}
	if isLines(data) {
		return readLines(data)
	}
	return readWhole(data)
}

// isLines reports whether the first line is an object of its own that names
// its type.
func isLines(data []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(data, " \t\r\n"), []byte("\n"))
	var head struct {
		Type *string `json:"type"`
	}
	return json.Unmarshal(first, &head) == nil && head.Type != nil
}

func readWhole(data []byte) (*Document, error) {
	var doc Document
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, &ReadError{Line: lineAt(data, errorOffset(err, dec.InputOffset())), Msg: decodeMessage(err)}
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return nil, &ReadError{Line: lineAt(data, dec.InputOffset()), Msg: "something follows the report"}
	}
	last := lineAt(data, int64(len(data)))
	if err := checkVersion(doc.Version); err != nil {
		return nil, &ReadError{Line: 1, Msg: err.Error()}
	}
	if doc.Results == nil {
		return nil, &ReadError{Line: last, Msg: "the report has no results"}
	}
	for i := range doc.Results {
		if err := checkResult(&doc.Results[i]); err != nil {
			return nil, &ReadError{Line: last, Msg: fmt.Sprintf("result %d: %v", i+1, err)}
		}
	}
	if err := doc.checkSummary(); err != nil {
		return nil, &ReadError{Line: last, Msg: err.Error()}
	}
	doc.normalize()
	return &doc, nil
}

// lineReader reads the lines of an ndjson report one by one.
type lineReader struct {
	doc  Document
	run  bool // the run's line was read
	done bool // the summary was read
}

func readLines(data []byte) (*Document, error) {
	var lr lineReader
	for n := 1; len(data) > 0; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !ended && !lr.done && !json.Valid(line) {
			break // the writer was stopped in the middle of this line
		}
		if err := lr.line(line); err != nil {
			return nil, &ReadError{Line: n, Msg: err.Error()}
		}
	}
	if !lr.done {
		lr.doc.Summary = Summarize(lr.doc.Results)
		lr.doc.Run.ExitCode = ExitUnmeasured
		lr.doc.Run.Degraded = checks.Degrade(lr.doc.Run.Degraded, checks.Degradation{
			Feature: FeatureReport, Reason: "it ends before its summary: results are missing", Count: 1,
		})
	}
	lr.doc.normalize()
	return &lr.doc, nil
}

// The lines of an ndjson report. A result's line is the result with a type.
type (
	runLine struct {
		Type string `json:"type"`
		// Policy is the table that the report was written under; a reader
		// judges by its own.
		Policy  json.RawMessage `json:"policy"`
		Version int             `json:"version"`
		Run
	}
	resultLine struct {
		Type string `json:"type"`
		checks.Result
	}
	summaryLine struct {
		Type string `json:"type"`
		Summary
		ExitCode   int                  `json:"exit_code"`
		DurationMS int64                `json:"duration_ms"`
		Degraded   []checks.Degradation `json:"degraded"`
		Origins    []checks.OriginState `json:"origins"`
	}
)

func (lr *lineReader) line(line []byte) error {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return errors.New(decodeMessage(err))
	}
	switch {
	case head.Type != "run" && head.Type != "result" && head.Type != "summary":
		return fmt.Errorf("unknown type %s", strconv.Quote(head.Type))
	case lr.done:
		return errors.New("something follows the summary")
	case lr.run == (head.Type == "run"):
		return errors.New("a report has one run line, and it comes first")
	}
	switch head.Type {
	case "run":
		return lr.runLine(line)
	case "result":
		return lr.resultLine(line)
	}
	return lr.summaryLine(line)
}

func (lr *lineReader) runLine(line []byte) error {
	var l runLine
	if err := strictly(line, &l); err != nil {
		return err
	}
	lr.doc.Version, lr.doc.Run, lr.run = l.Version, l.Run, true
	return checkVersion(l.Version)
}

func (lr *lineReader) resultLine(line []byte) error {
	var l resultLine
	if err := strictly(line, &l); err != nil {
		return err
	}
	lr.doc.Results = append(lr.doc.Results, l.Result)
	return checkResult(&l.Result)
}

func (lr *lineReader) summaryLine(line []byte) error {
	var l summaryLine
	if err := strictly(line, &l); err != nil {
		return err
	}
	lr.doc.Summary = l.Summary
	run := &lr.doc.Run
	run.ExitCode, run.DurationMS, run.Degraded, run.Origins = l.ExitCode, l.DurationMS, l.Degraded, l.Origins
	lr.done = true
	return lr.doc.checkSummary()
}

func strictly(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return errors.New(decodeMessage(err))
	}
	return nil
}

func checkVersion(v int) error {
	if v != Version {
		return fmt.Errorf("a report of version %d; this program reads version %d", v, Version)
	}
	return nil
}

// checkResult refuses a result that contradicts itself: it must not be able to
// pass.
func checkResult(r *checks.Result) error {
	switch {
	case r.Name == "":
		return errors.New("it has no name")
	case !slices.Contains(checks.Findings(), r.Finding):
		_, err := parseFinding(string(r.Finding))
		return err
	case r.Measured != measured(r.Finding):
		return fmt.Errorf("finding %s with measured: %t", r.Finding, r.Measured)
	}
	return nil
}

func (d *Document) checkSummary() error {
	if got := Summarize(d.Results); got != d.Summary {
		return fmt.Errorf("the summary does not count the results: it says %d in all and %d measured, they are %d and %d, or their findings differ",
			d.Summary.Total, d.Summary.Measured, got.Total, got.Measured)
	}
	return nil
}

func (d *Document) normalize() {
	d.Run.Degraded, d.Run.Origins, d.Results = filled(d.Run.Degraded), filled(d.Run.Origins), filled(d.Results)
	for i := range d.Results {
		normalize(&d.Results[i])
	}
}

func decodeMessage(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the report ends too early"
	}
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return Inert(fmt.Sprintf("%s cannot be %s", cmp.Or(te.Field, "the report"), te.Value), 200)
	}
	return Inert(strings.TrimPrefix(err.Error(), "json: "), 200)
}

// errorOffset is where in the input a decoder stopped.
func errorOffset(err error, reached int64) int64 {
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return se.Offset
	}
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return te.Offset
	}
	return reached
}

func lineAt(data []byte, offset int64) int {
	offset = min(max(offset, 0), int64(len(data)))
	return bytes.Count(bytes.TrimRight(data[:offset], "\n"), []byte("\n")) + 1
}
