package bodies

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said is a result, or the error in its place.
func said(out []byte, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return string(out)
}

func TestFromCSV(t *testing.T) {
	semicolon := CSVOptions{Delimiter: ';'}
	brazilian := CSVOptions{Delimiter: ';', Decimal: ','}
	for _, tc := range []struct {
		body string
		opt  CSVOptions
		want string
	}{
		{"a,b\n1,x\n", CSVOptions{}, `[{"a":"1","b":"x"}]`},
		{"a,b\r\n1,\"x,\"\"y\"\"\nz\"\r\n\r\n2,é", CSVOptions{}, `[{"a":"1","b":"x,\"y\"\nz"},{"a":"2","b":"é"}]`},
		{"\xef\xbb\xbfa;b\n007;1.542", semicolon, `[{"a":"007","b":"1.542"}]`},
		// I8: "1.542" is one thousand five hundred and forty-two.
		{"a;b\n007;\"1.542\"", brazilian, `[{"a":"007","b":1542}]`},
		{"a;b\n-1.234.567,890;0,50\n1.23;1.2345\n 12 ;x\n;-", brazilian,
			`[{"a":-1234567.890,"b":0.50},{"a":"1.23","b":"1.2345"},{"a":12,"b":"x"},{"a":"","b":"-"}]`},
		{"a,b\n\"1,542.10\",+5\n1e5,.5\n653247040368672768,5.", CSVOptions{Decimal: '.'},
			`[{"a":1542.10,"b":"+5"},{"a":"1e5","b":".5"},{"a":653247040368672768,"b":"5."}]`},
		{"a,b\n", CSVOptions{}, `[]`},
		{"1,2\n3,4", CSVOptions{NoHeader: true}, `[{"1":"1","2":"2"},{"1":"3","2":"4"}]`},
		{"1,2\n3,4", CSVOptions{Names: []string{"x", "y"}}, `[{"x":"1","y":"2"},{"x":"3","y":"4"}]`},
		{"1,2,3\n", CSVOptions{Names: []string{"x", "y"}}, "error: the body is not csv: line 1: it has 3 columns, the first row has 2"},
		{"a, ,a\n1,2,3", CSVOptions{}, `[{"a":"1","2":"2","a":"3"}]`},
		{"a\tb\n1\t2", CSVOptions{Delimiter: '\t'}, `[{"a":"1","b":"2"}]`},

		// A3: a header, a blank line, then an error in words.
		{"Entry\tName\n\nError encountered when streaming data. Please try again later.", CSVOptions{Delimiter: '\t'},
			"error: the body is not csv: line 3: it has 1 column, the first row has 2"},
		{"a,b\n1,2\n1\n", CSVOptions{}, "error: the body is not csv: line 3: it has 1 column, the first row has 2"},
		{"a,b\n1,\"x\n", CSVOptions{}, "error: the body is not csv: line 2: a quoted value does not end where its column ends"},
		{"a,b\n1,x\"y\n", CSVOptions{}, "error: the body is not csv: line 2: a quote stands inside a value that is not quoted"},
		{"", CSVOptions{}, "error: the body is not csv: it is empty"},
		{" \n", CSVOptions{}, "error: the body is not csv: it is empty"},
		{"<!DOCTYPE html>\n<p>", CSVOptions{}, "error: the body is not csv: line 1: it begins like HTML or XML"},
		{"{\"error\": 1}", CSVOptions{}, "error: the body is not csv: line 1: it begins like JSON"},
		{"a\nS\xe3o", CSVOptions{}, "error: the body is not csv: it is not UTF-8; csv: {encoding: …} says what it is"},
		{strings.Repeat(",", maxColumns) + "\n", CSVOptions{}, "error: the body has more parts than are followed here: 10000 columns"},
	} {
		if diff := cmp.Diff(tc.want, said(FromCSV([]byte(tc.body), tc.opt))); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tc.body, diff)
		}
	}
}

func TestCSVDoesNotGrowWithoutEnd(t *testing.T) {
	body := strings.Repeat("x", 1<<10) + "\n" + strings.Repeat("1\n", 300)
	if _, err := fromCSV([]byte(body), CSVOptions{}, MaxSize>>10); !errors.Is(err, ErrParts) {
		t.Error(err)
	}
}

func TestFromNDJSON(t *testing.T) {
	for _, tc := range []struct{ body, want string }{
		{"{\"a\":1.50}\n\n {\"a\":653247040368672768}\r\n", `[{"a":1.50},{"a":653247040368672768}]`},
		{"\xef\xbb\xbf1", `[1]`},
		{`{"a":1,"a":2}`, `[{"a":1,"a":2}]`},
		{"{\"a\":1}\n{\"a\":", "error: the body is not ndjson: line 2: it is not one JSON value"},
		{"{\n\"a\": 1}", "error: the body is not ndjson: line 1: it is not one JSON value"},
		{"1 2", "error: the body is not ndjson: line 1: it is not one JSON value"},
		{`{"a": NaN}`, "error: the body is not ndjson: line 1: it is not one JSON value"},
		{"<html>", "error: the body is not ndjson: line 1: it is not one JSON value"},
		{"", "error: the body is not ndjson: it is empty"},
		{"\n\n", "error: the body is not ndjson: it is empty"},
	} {
		if diff := cmp.Diff(tc.want, said(FromNDJSON([]byte(tc.body)))); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tc.body, diff)
		}
	}
}

func TestParseXMLRefuses(t *testing.T) {
	bomb := `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol1 "&lol;&lol;">]><lolz>&lol1;</lolz>`
	for _, tc := range []struct{ body, want string }{
		{bomb, "the body is not xml: line 1: it declares entities"},
		{"<!DOCTYPE a SYSTEM \"http://x/\">\n<a>&x;</a>", "the body is not xml: line 2: invalid character entity &x;"},
		{"", "the body is not xml: line 1: it has no element, or an element has no end"},
		{"<a>", "the body is not xml: line 1: unexpected EOF"},
		{"<a></b>", "the body is not xml: line 1: element <a> closed by </b>"},
		{"<a/>\n<b/>", "the body is not xml: line 2: a second element stands beside the first"},
		{"<a/> x", "the body is not xml: line 1: text stands outside of the element"},
		{"plain", "the body is not xml: line 1: text stands outside of the element"},
		{"<a x=1/>", "the body is not xml: line 1: unquoted or missing attribute value in element"},
		{`{"a":1}`, "the body is not xml: line 1: text stands outside of the element"},
	} {
		_, err := ParseXML([]byte(tc.body))
		var bad *Error
		if !errors.As(err, &bad) || err.Error() != tc.want {
			t.Errorf("%.60q: %v", tc.body, err)
		}
	}
}

// A limit of ours says nothing against the body.
func TestXMLBeyondOurLimits(t *testing.T) {
	for body, want := range map[string]error{
		strings.Repeat("<a>", 257) + strings.Repeat("</a>", 257): ErrDeep,
		"<a>" + strings.Repeat("<b/>", maxXMLNodes) + "</a>":     ErrParts,
	} {
		if _, err := ParseXML([]byte(body)); !errors.Is(err, want) || !Ours(err) {
			t.Errorf("%.20q: %v", body, err)
		}
	}
	if _, err := ParseXML([]byte(strings.Repeat("<a>", 256) + strings.Repeat("</a>", 256))); err != nil {
		t.Error(err)
	}
}

const feed = `<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE feed>
<feed xmlns="urn:atom" xmlns:g="urn:geo" lang="pt">
 <!-- nota -->
 <entry id="1"><title>Um <b>dois</b></title><g:point g:lat="-23.5">x</g:point></entry>
 <entry id="2"><title><![CDATA[<três>]]> &amp; quatro</title><valor> 5.0700 </valor></entry>
</feed>`

func TestSelect(t *testing.T) {
	ns := map[string]string{"a": "urn:atom", "geo": "urn:geo"}
	doc, err := ParseXML([]byte(feed))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Namespace() != "urn:atom" {
		t.Error(doc.Namespace())
	}
	for _, tc := range []struct {
		path string
		want []string
	}{
		{"/a:feed/a:entry/@id", []string{"/feed/entry[1]/@id=1", "/feed/entry[2]/@id=2"}},
		{"//a:title", []string{"/feed/entry[1]/title=Um dois", "/feed/entry[2]/title=<três> & quatro"}},
		{"//a:entry[@id='2']/a:valor", []string{"/feed/entry[2]/valor= 5.0700 "}},
		{"//a:entry[a:valor > 5]/a:title", []string{"/feed/entry[2]/title=<três> & quatro"}},
		{"//geo:point/@geo:lat", []string{"/feed/entry[1]/point/@lat=-23.5"}},
		{"//entry", nil}, // no namespace
		{"//*[local-name()='entry']/@id", []string{"/feed/entry[1]/@id=1", "/feed/entry[2]/@id=2"}},
		{"/a:feed/@lang", []string{"/feed/@lang=pt"}},
		{"//a:b/text()", []string{"/feed/entry[1]/title/b/text()=dois"}},
		{"//a:entry[last()]/@id | //a:entry[1]/@id", []string{"/feed/entry[1]/@id=1", "/feed/entry[2]/@id=2"}},
		{"//a:b/ancestor::a:entry/@id", []string{"/feed/entry[1]/@id=1"}},
		{"//a:entry[1]/following-sibling::*/@id", []string{"/feed/entry[2]/@id=2"}},
		{"count(//a:entry)", []string{"number =2"}},
		{"sum(//a:entry/@id) div 2", []string{"number =1.5"}},
		{"number('x')", []string{"=NaN"}},
		{"string(//a:title)", []string{"=Um dois"}},
		{"normalize-space(//a:valor)", []string{"=5.0700"}},
		{"count(//a:entry) > 1", []string{"bool =true"}},
		{"/", []string{"/=\n \n Um doisx\n <três> & quatro 5.0700 \n"}},
	} {
		path, err := ParseXPath(tc.path, ns)
		if err != nil {
			t.Errorf("%s: %v", tc.path, err)
			continue
		}
		var got []string
		err = doc.Select(context.Background(), path, func(s Selected) bool {
			kind := map[bool]string{true: "number "}[s.Number] + map[bool]string{true: "bool "}[s.Bool]
			got = append(got, kind+s.Path()+"="+s.Text)
			return true
		})
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.path, diff)
		}
		if singular := strings.HasPrefix(got0(got), "/"); path.Singular() == singular && got != nil {
			t.Errorf("%s: singular is %t", tc.path, path.Singular())
		}
	}
}

func got0(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func TestParseXPathErrors(t *testing.T) {
	for _, text := range []string{"//a[", "//x:a", "a b", "nofunc(1)", "//a[@b='x]", "$var"} {
		if _, err := ParseXPath(text, nil); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestSelectIsBounded(t *testing.T) {
	doc, err := ParseXML([]byte("<r>" + strings.Repeat("<a/>", 20_000) + "</r>"))
	if err != nil {
		t.Fatal(err)
	}
	path, err := ParseXPath("//a[count(//a[count(//a) > 1]) > 1]", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.selectWithin(context.Background(), maxSteps/100, path, func(Selected) bool { return true }); !errors.Is(err, ErrCost) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := doc.Select(ctx, path, func(Selected) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a;b\n1,5;\"x\"\"y\"\n"), byte(';'), byte(','))
	f.Add([]byte("a,b\n1.234,2\n"), byte(','), byte('.'))
	f.Fuzz(func(t *testing.T, body []byte, delimiter, decimal byte) {
		opt := CSVOptions{Delimiter: rune(delimiter)}
		if decimal == ',' || decimal == '.' {
			opt.Decimal = decimal
		}
		out, err := FromCSV(body, opt)
		checkArray(t, out, err)
	})
}

func FuzzNDJSON(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n[2]\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := FromNDJSON(body)
		checkArray(t, out, err)
	})
}

// checkArray holds that what comes out is a JSON array, or a fault of the body.
func checkArray(t *testing.T, out []byte, err error) {
	t.Helper()
	var bad *Error
	switch {
	case err == nil && !validArray(out):
		t.Errorf("not a JSON array: %q", out)
	case err != nil && !errors.As(err, &bad):
		t.Error(err)
	}
}

// FuzzXML holds that no document and no expression breaks the walk, and that
// what is selected has a place.
func FuzzXML(f *testing.F) {
	f.Add([]byte(feed), "//*[local-name()='entry'][1]/@id | /")
	f.Add([]byte("<a><b/>x<b>y</b></a>"), "count(/a/b[2]/preceding::*) + 1")
	f.Add([]byte("<a xml:lang='x' y='1'/>"), "//@xml:lang[.='x']/..")
	f.Fuzz(func(t *testing.T, body []byte, expression string) {
		doc, err := ParseXML(body)
		if err != nil || len(expression) > 60 || len(body) > 400 {
			return
		}
		path, err := ParseXPath(expression, map[string]string{"p": "urn:p"})
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		n := 0
		_ = doc.Select(ctx, path, func(s Selected) bool {
			if s.doc != nil && !strings.HasPrefix(s.Path(), "/") {
				t.Errorf("%s of %q is at %q", expression, body, s.Path())
			}
			n++
			return n < 1000
		})
	})
}

func BenchmarkCSV(b *testing.B) {
	var body []byte
	body = append(body, "id;data;valor\n"...)
	for i := range 100_000 {
		body = fmt.Appendf(body, "%d;%02d/01/2026;%d,%02d\n", i, i%28+1, i, i%100)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromCSV(body, CSVOptions{Delimiter: ';', Decimal: ','}); err != nil {
			b.Fatal(err)
		}
	}
}
