package expect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/bodies"
	"github.com/fonteviva/fonteviva/checks/source"
)

// Mode is what a probe says that the body is: its as:.
type Mode string

// The modes.
const (
	AsText   Mode = "text"
	AsJSON   Mode = "json"
	AsCSV    Mode = "csv"
	AsNDJSON Mode = "ndjson"
	AsXML    Mode = "xml"
)

// Modes are the words of as:.
var Modes = []string{string(AsJSON), string(AsCSV), string(AsNDJSON), string(AsXML), string(AsText)}

// CSVOptions say how a CSV is written: the probe's csv: mapping.
type CSVOptions = bodies.CSVOptions

// Transcode checks a body that is not JSON, and gives what the expectations
// look at: for csv and ndjson the text of a JSON array of objects, for the
// other modes the body itself. Texts are UTF-8 by then. The error is a
// *bodies.Error, by which the body is malformed, or a limit of ours
// (bodies.Ours). That a json body is one valid value is the fetcher's to
// check.
func Transcode(as Mode, body []byte, opt CSVOptions) ([]byte, error) {
	switch as {
	case AsCSV:
		return bodies.FromCSV(body, opt)
	case AsNDJSON:
		return bodies.FromNDJSON(body)
	case AsXML:
		doc, err := bodies.ParseXML(body)
		if err != nil {
			return nil, err
		}
		if doc.IsPage() {
			return nil, &bodies.Error{As: "xml", Reason: "it is an HTML page"}
		}
	}
	return body, nil
}

var csvTable = source.NewObject("csv",
	source.Field[CSVOptions]{Name: "delimiter", Form: source.Matching(`^([^"\r\n]|tab|\\t)$`), Doc: "what stands between values: one character, or tab; default a comma", Decode: decodeDelimiter},
	source.Field[CSVOptions]{Name: "header", Form: source.Either(source.Flag, source.List(1, source.SomeText)), Doc: "true (default): the first row names the columns; false: they are called 1, 2, 3; or a list of names", Decode: func(o *CSVOptions, n source.Node) {
		if n.IsList() {
			decodeColumns(o, n)
		} else if v, ok := n.Bool(); ok {
			o.NoHeader = !v
		}
	}},
	source.Field[CSVOptions]{Name: "decimal", Form: source.OneOf(".", ","), Doc: `"." or ",": values that are numbers, written so, become numbers; without it all values are strings`, Decode: func(o *CSVOptions, n source.Node) {
		if word, ok := n.Enum(".", ","); ok {
			o.Decimal = word[0]
		}
	}},
	source.Field[CSVOptions]{Name: "encoding", Form: source.SomeText, Doc: "what the bytes are written in, such as windows-1252; default what the answer says, or UTF-8", Decode: func(o *CSVOptions, n source.Node) {
		v, ok := n.NonEmpty()
		source.Optional(&o.Encoding, v, ok)
	}},
)

// DecodeCSV reads the csv: mapping of a probe.
func DecodeCSV(n source.Node) CSVOptions {
	var o CSVOptions
	csvTable.Decode(n, &o)
	if d := o.Delimiter; o.Decimal == ',' && (d == 0 || d == ',') {
		n.Problem(`such as csv: {delimiter: ";", decimal: ","}`, "a comma cannot stand both between values and in numbers")
	}
	return o
}

func decodeDelimiter(o *CSVOptions, n source.Node) {
	word, ok := n.String()
	if !ok {
		return
	}
	if word == "tab" || word == `\t` {
		word = "\t"
	}
	r := []rune(word)
	if len(r) != 1 || strings.ContainsRune("\"\r\n\uFFFD", r[0]) {
		n.Problem("one character that stands in no value, such as \";\", or tab", "%s cannot stand between values", strconv.Quote(word))
		return
	}
	o.Delimiter = r[0]
}

func decodeColumns(o *CSVOptions, n source.Node) {
	items, _ := n.Items()
	if len(items) == 0 {
		n.Problem("true, false, or the names of all columns", "the list of names is empty")
	}
	for _, item := range items {
		name, ok := item.NonEmpty()
		if ok && slices.Contains(o.Names, name) {
			item.Problem("every column has a name of its own", "two columns are called %s", strconv.Quote(name))
		} else if ok {
			o.Names = append(o.Names, name)
		}
	}
}
