package fetch

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxEvidence is how much of a body is searched for evidence of a page.
const maxEvidence = 64 << 10

var utf8BOM = []byte("\xef\xbb\xbf")

// LooksLikeOf names what a body looks like, as evidence for a person; it is ""
// for one valid JSON value. finalURL is where the answer came from, after
// redirects.
func LooksLikeOf(status int, h http.Header, finalURL string, body []byte) LooksLike {
	text := bytes.TrimSpace(bytes.TrimPrefix(body, utf8BOM))
	head := text[:min(len(text), maxEvidence)]
	switch {
	case isChallenge(h, head):
		return LooksWAFChallenge
	case len(text) == 0:
		return LooksEmpty
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		return LooksGzipBytes
	case isUTF16(body):
		return LooksWrongCharset
	case head[0] == '<':
		return markup(status, finalURL, head)
	case hasXSSIPrefix(head):
		return LooksXSSIPrefix
	}
	return looksText(text)
}

// challengeHeaders are set by the guards in front of origins.
var challengeHeaders = map[string][]string{
	"Cf-Mitigated":      {"challenge"},
	"X-Amzn-Waf-Action": {"challenge", "captcha"},
}

// challengePages are the fixed parts of the pages of guards: all of a row have
// to be there.
var challengePages = [][][]byte{
	{[]byte("The requested URL was rejected"), []byte("support ID")},         // F5 ASM
	{[]byte("<title>Just a moment...</title>")},                              // Cloudflare
	{[]byte("<TITLE>Access Denied</TITLE>"), []byte("errors.edgesuite.net")}, // Akamai
}

// challengeScripts are what guards put into their pages, and some of them into
// those of the origin, too.
var challengeScripts = [][][]byte{
	{[]byte("/cdn-cgi/challenge-platform/")}, // Cloudflare
	{[]byte("_Incapsula_Resource")},          // Imperva
	{[]byte("AwsWafIntegration")},            // AWS WAF
}

func isChallenge(h http.Header, head []byte) bool {
	return isGuarding(h) || hasAll(challengePages, head) || hasAll(challengeScripts, head)
}

// isGuarding reports whether a guard says that it is the one who answers.
func isGuarding(h http.Header) bool {
	for name, values := range challengeHeaders {
		if slices.Contains(values, strings.ToLower(trimOWS(h.Get(name)))) {
			return true
		}
	}
	return false
}

// isUTF16 sees the byte order marks of UTF-16 and UTF-32, and ASCII that is
// spread over two bytes.
func isUTF16(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	if b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff {
		return true
	}
	little := b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0
	big := b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0
	return little || big
}

var xssiPrefixes = [][]byte{[]byte(")]}'"), []byte("for(;;);"), []byte("for (;;);"), []byte("while(1);"), []byte("while (1);"), []byte("{}&&")}

func hasXSSIPrefix(b []byte) bool {
	for _, p := range xssiPrefixes {
		if bytes.HasPrefix(b, p) {
			return true
		}
	}
	return false
}

// lazy is a pattern that is compiled when it is first needed: most runs see no
// page, and every start would pay for it.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

var (
	rootElement = lazy(`(?is)^(?:\s|<\?.*?\?>|<!--.*?-->|<!doctype[^>\[]*(?:\[[^\]]*\])?[^>]*>)*<([a-z_][\w.-]*:)?([a-z_][\w.-]*)`)
	htmlDoctype = lazy(`(?is)^(?:\s|<\?.*?\?>|<!--.*?-->)*<!doctype\s+html`)
	heading     = lazy(`(?is)<(?:title|h1)[^>]*>([^<]*)`)
	password    = lazy(`(?is)<input[^>]+type\s*=\s*["']?password`)
	loginPath   = lazy(`(?i)(?:^|[/_.-])(?:log-?in|sign-?in|logon|sso|authenticate)(?:$|[/_.-])`)
	faultChild  = lazy(`(?i)<(?:[a-z_][\w.-]*:)?(?:fault|serviceexception|exceptiontext|exceptionreport)[\s>]`)
	errorWords  = lazy(`(?i)\berro(?:r|s)?\b|\b[45]\d\d\b|inv[aá]lid|not found|n[aã]o encontrad|unavailable|indispon[ií]vel|forbidden|denied|negado|bad (?:gateway|request)|time-?out|maintenance|manuten[cç][aã]o|rejected`)
)

// htmlRoots are the elements that a page may begin with when its writer left
// <html> out.
var htmlRoots = map[string]bool{"html": true, "head": true, "body": true, "title": true, "script": true, "meta": true, "div": true, "center": true, "h1": true, "p": true}

// faultRoots are the document elements of XML errors, in lower case.
var faultRoots = map[string]bool{
	"fault": true, "error": true, "errors": true, "exception": true, "problem": true,
	"exceptionreport": true, "serviceexceptionreport": true, "serviceexception": true,
}

// markup tells pages from XML, and names what kind of page or document it is.
func markup(status int, finalURL string, head []byte) LooksLike {
	m := rootElement().FindSubmatch(head)
	if m == nil && !htmlDoctype().Match(head) {
		return LooksXML
	}
	root := ""
	if m != nil {
		root = strings.ToLower(string(m[2]))
	}
	if htmlDoctype().Match(head) || htmlRoots[root] {
		return page(status, finalURL, head)
	}
	if faultRoots[root] || root == "envelope" && faultChild().Match(head) {
		return LooksXMLFault
	}
	return LooksXML
}

func page(status int, finalURL string, head []byte) LooksLike {
	if password().Match(head) || atLogin(finalURL) {
		return LooksLoginPage
	}
	if status >= 400 {
		return LooksHTMLErrorPage
	}
	if isHeaded(head, errorWords()) {
		return LooksHTMLErrorPage
	}
	return LooksHTML
}

func atLogin(finalURL string) bool {
	u, err := url.Parse(finalURL)
	return err == nil && loginPath().MatchString(u.Path)
}

// looksText names what is neither markup nor packed bytes.
func looksText(text []byte) LooksLike {
	f := checkJSON(text)
	switch {
	case f == nil:
		return ""
	case bytes.IndexByte(text, 0) >= 0:
		return LooksBinary
	case !utf8.Valid(text):
		return LooksWrongCharset
	}
	return looksJSON(text, f)
}

var (
	notANumber = lazy(`^[+-]?(?:NaN|Infinity|nan|inf)\b`)
	bareKey    = lazy(`^(?:[A-Za-z_$][\w$]*|'[^']*')\s*:`)
)

// looksJSON names what stops a text from being JSON, by what stands where it
// stopped.
func looksJSON(text []byte, f *jsonFault) LooksLike {
	at := text[min(f.offset, int64(len(text))):]
	at = at[leadingSpace(at):]
	begins := text[0] == '{' || text[0] == '['
	switch {
	case notANumber().Match(at), begins && f.offset > 0 && notANumber().Match(text[f.offset-1:]):
		return LooksNaNJSON
	case f.more && (begins || text[0] == '"'):
		if len(at) > 0 && (at[0] == '{' || at[0] == '[' || at[0] == '"') {
			return LooksMultipleDocuments
		}
		return LooksInvalidJSON
	case begins && f.cut:
		return LooksTruncatedJSON
	case begins && bareKey().Match(at):
		return LooksUnquotedJSON
	case begins:
		return LooksInvalidJSON
	}
	return LooksPlainText
}
