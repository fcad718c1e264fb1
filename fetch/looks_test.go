package fetch

import (
	"net/http"
	"testing"
	"unicode/utf8"
)

const (
	sgsPage = "<?xml version=\"1.0\" encoding=\"pt-br\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>Requisição inválida!</title></head></html>"
	f5Page  = "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1234567890123456789</body></html>"
)

func TestLooksLikeOf(t *testing.T) {
	none := http.Header{}
	for _, tt := range []struct {
		name   string
		status int
		header http.Header
		final  string
		body   string
		want   LooksLike
	}{
		{"json", 200, none, "", `{"a":[1,2]}`, ""},
		{"json with a bom", 200, none, "", "\xef\xbb\xbf{}", ""},
		{"A1 xhtml behind an xml prolog", 200, none, "", sgsPage, LooksHTMLErrorPage},
		{"A2 the same page with a 502", 502, none, "", sgsPage, LooksHTMLErrorPage},
		{"A7 a page of an application", 200, none, "", `<html lang="en" class="no-js"><head><title>Data Browser</title></head>`, LooksHTML},
		{"E7 apache's 503", 503, none, "", "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">\n<html><head>\n<title>503 Service Temporarily Unavailable</title>", LooksHTMLErrorPage},
		{"error page with 200", 200, none, "", "<!-- x --><!doctype html><h1 class=a>Erro interno", LooksHTMLErrorPage},
		{"page without html", 200, none, "", "<center><h1>502 Bad Gateway</h1></center>", LooksHTMLErrorPage},
		{"A10 f5", 200, none, "", f5Page, LooksWAFChallenge},
		{"A10 f5 as text", 403, none, "", "The requested URL was rejected. Please consult with your administrator.\nYour support ID is: 1234567890123456789", LooksWAFChallenge},
		{"D6 cloudflare by its header", 403, http.Header{"Cf-Mitigated": {"challenge"}}, "", "x", LooksWAFChallenge},
		{"D6 cloudflare by its page", 403, none, "", "<!DOCTYPE html><html lang=\"en-US\"><head><title>Just a moment...</title>", LooksWAFChallenge},
		{"K1 login by its place", 200, none, "https://a.test/login?next=/x", "<!DOCTYPE html><title>Portal</title>", LooksLoginPage},
		{"K1 login by its form", 200, none, "https://a.test/x", "<html><form><input name=p type='password'></form>", LooksLoginPage},
		{"login in another word", 200, none, "https://a.test/bloglinks", "<html><title>Blog</title>", LooksHTML},
		{"xml", 200, none, "", `<?xml version="1.0"?><rows><row/></rows>`, LooksXML},
		{"soap", 200, none, "", `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="x"><soapenv:Body/></soapenv:Envelope>`, LooksXML},
		{"soap fault", 500, none, "", `<soapenv:Envelope xmlns:soapenv="x"><soapenv:Body><soapenv:Fault><faultstring>Value(s) not found`, LooksXMLFault},
		{"ogc", 200, none, "", `<ows:ExceptionReport xmlns:ows="x"><ows:Exception/>`, LooksXMLFault},
		{"wms", 200, none, "", `<?xml version='1.0'?><!DOCTYPE ServiceExceptionReport SYSTEM "x"><ServiceExceptionReport>`, LooksXMLFault},
		{"world bank", 200, none, "", `<wb:error xmlns:wb="x"><wb:message id="120"/>`, LooksXMLFault},
		{"I1 nan", 200, none, "", `{"ce": NaN}`, LooksNaNJSON},
		{"minus infinity", 200, none, "", `[-Infinity]`, LooksNaNJSON},
		{"I4 unquoted keys", 200, none, "", `{ status:"error", message:"x"}`, LooksUnquotedJSON},
		{"single quotes", 200, none, "", `{'a': 1}`, LooksUnquotedJSON},
		{"truncated", 200, none, "", `{"a":[1,2`, LooksTruncatedJSON},
		{"truncated literal", 200, none, "", `{"a":tru`, LooksTruncatedJSON},
		{"two documents", 200, none, "", "{\"a\":1}\n{\"a\":2}", LooksMultipleDocuments},
		{"garbage behind", 200, none, "", `{"a":1}x`, LooksInvalidJSON},
		{"trailing comma", 200, none, "", `[1,]`, LooksInvalidJSON},
		{"xssi", 200, none, "", ")]}',\n{\"a\":1}", LooksXSSIPrefix},
		{"xssi loop", 200, none, "", "for(;;);{}", LooksXSSIPrefix},
		{"gzip", 200, none, "", string(gzipped([]byte("{}"))), LooksGzipBytes},
		{"empty", 200, none, "", "", LooksEmpty},
		{"only a bom", 200, none, "", "\xef\xbb\xbf \n", LooksEmpty},
		{"utf-16", 200, none, "", "\xff\xfe{\x00}\x00", LooksWrongCharset},
		{"utf-16 without a mark", 200, none, "", "{\x00\"\x00a\x00", LooksWrongCharset},
		{"latin-1", 200, none, "", "{\"a\":\"S\xe3o\"}", LooksWrongCharset},
		{"binary", 200, none, "", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", LooksBinary},
		{"D5 text", 400, none, "", "Tabela 99999: Tabela inválida", LooksPlainText},
		{"E3 envoy's text", 504, none, "", "upstream request timeout", LooksPlainText},
	} {
		if got := LooksLikeOf(tt.status, tt.header, tt.final, []byte(tt.body)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzLooksLikeOf(f *testing.F) {
	for _, s := range []string{"", "{}", sgsPage, f5Page, `{"a": NaN`, "{ a:1}", "[1,2", "{}{}", ")]}'", "\x1f\x8b", "<", "<!doctype", "<?xml", "\xff\xfe{\x00", "\xef\xbb\xbf", "-", "N"} {
		f.Add(200, "https://a.test/login", []byte(s))
	}
	known := map[LooksLike]bool{
		"": true, LooksEmpty: true, LooksHTML: true, LooksHTMLErrorPage: true, LooksWAFChallenge: true, LooksLoginPage: true, LooksXML: true,
		LooksXMLFault: true, LooksTruncatedJSON: true, LooksNaNJSON: true, LooksUnquotedJSON: true, LooksMultipleDocuments: true,
		LooksXSSIPrefix: true, LooksInvalidJSON: true, LooksGzipBytes: true, LooksWrongCharset: true, LooksPlainText: true, LooksBinary: true,
	}
	f.Fuzz(func(t *testing.T, status int, final string, body []byte) {
		got := LooksLikeOf(status, nil, final, body)
		if !known[got] {
			t.Errorf("%q", got)
		}
		if got == "" && !utf8.Valid(body) {
			t.Errorf("%q passes for JSON", body)
		}
		if fault := checkJSON(body); fault != nil && (fault.offset < 0 || fault.offset > int64(len(body))) {
			t.Errorf("offset %d in %d bytes", fault.offset, len(body))
		}
	})
}
