package checks

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// A value of the environment stands in a command as a mark of letters, which
// every encoding of ours leaves as it is, until shellWord makes it "$NAME".
const markOpen, markClose = "FONTEVIVAxREFx", "xFERxAVIVETNOF"

var mark = source.Pattern(markOpen + `([A-Za-z_][A-Za-z0-9_]*?)` + markClose)

// marked expands references to marks: no value is looked up at all.
var marked = expander{
	env:      func(name string) (string, bool) { return markOpen + name + markClose, true },
	captured: func(r source.Ref) (string, bool) { return markOpen + shellName(r) + markClose, true },
}

// maxInline is how long a body may be that stands in the command itself.
const maxInline = 32 << 10

// bodyFile stands for a body that a command line cannot hold.
const bodyFile = "@request-body"

// command is a curl command being written, word by word.
type command struct {
	words  []string
	hide   func(string) string      // masks secrets in what the declaration itself says
	lookup func(mark string) string // what marks stand for, to compare with what was sent
}

// reproduce writes a command for a POSIX shell that asks what a probe asked.
// It holds what is declared, never what an origin said, and values of the
// environment as "$NAME" only.
func (p *Plan) reproduce(g *journey, res *Result) string {
	pl := g.planned
	if pl.probe.MCP != nil {
		return p.reproduceMCP(pl)
	}
	o, r := pl.origin.origin, &pl.probe.Request
	c := &command{words: []string{"curl", "-sS", "-g"}, hide: p.redactor.String, lookup: func(s string) string { return p.unmarked(g, s) }}
	if g.request.Method == http.MethodHead {
		c.add("-I")
	} else {
		c.add("-i")
	}
	c.add("--max-time", strconv.FormatFloat(pl.probe.Policy.Timeout.Seconds(), 'f', -1, 64))
	if c.follows(g, res) {
		c.add("-L", "--proto-redir", "=https")
	}
	c.way(&o.Out)
	c.headers(g)
	c.body(g)
	base, sent := o.URL, g.request.URL
	for i, m := range g.request.Mirrors {
		if res.Mirror != nil && p.redactor.String(m) == *res.Mirror {
			base, sent = o.Mirrors[i], m
		}
	}
	c.target(marked.url(base, r), sent, len(g.request.Body) == 0 && g.request.Method != http.MethodHead)
	return strings.Join(c.words, " ")
}

// unmarked puts the values back, to see whether they need an encoding that a
// shell cannot make.
func (p *Plan) unmarked(g *journey, s string) string {
	if !strings.Contains(s, markOpen) {
		return s
	}
	return mark().ReplaceAllStringFunc(s, func(m string) string {
		name := mark().FindStringSubmatch(m)[1]
		for _, ref := range g.planned.refs {
			if v, known := g.values[ref]; shellName(ref) == name {
				if !known {
					return ref.String()
				}
				return v
			}
		}
		v, _ := p.opt.Env(name)
		return v
	})
}

func (c *command) add(words ...string) {
	for _, w := range words {
		c.words = append(c.words, c.shellWord(w))
	}
}

// follows reports whether the command follows redirects: only where nothing of
// ours would travel to another place with them, because curl sends declared
// headers wherever it is led.
func (c *command) follows(g *journey, res *Result) bool {
	pl, o := g.planned, g.planned.origin.origin
	switch {
	case o.Policy.Redirects == fetch.RedirectsNone || res.FinalURL == nil || !strings.HasPrefix(g.request.URL, "https://"):
		return false
	case place(g.request.URL) == place(*res.FinalURL):
		return true
	}
	return o.Auth == nil && len(o.Headers) == 0 && len(pl.probe.Request.Headers) == 0 && len(g.request.Body) == 0
}

// way writes the way out.
func (c *command) way(out *Out) {
	switch {
	case out.Proxy.Raw() == "none":
		c.add("--noproxy", "*")
	case !out.Proxy.IsZero():
		credentials, address := splitProxy(out.Proxy)
		c.add("-x", marked.expand(address))
		if !credentials.IsZero() {
			c.add("-U", marked.expand(credentials))
		}
	}
	for _, f := range []struct{ flag, path string }{{"--cacert", out.CAFile}, {"--cert", out.CertFile}, {"--key", out.KeyFile}} {
		if f.path != "" {
			c.add(f.flag, f.path)
		}
	}
	if out.Way.MinTLS == tls.VersionTLS13 {
		c.add("--tlsv1.3")
	}
	if out.Way.HTTP2 != nil && !*out.Way.HTTP2 {
		c.add("--http1.1")
	}
	if out.Way.IP != 0 {
		c.add("-" + strconv.Itoa(out.Way.IP))
	}
}

// headers writes what the client sends: the probe's over the origin's.
func (c *command) headers(g *journey) {
	pl := g.planned
	o := pl.origin.origin
	agent := marked.expand(o.UserAgent)
	if agent == "" {
		agent = pl.origin.agent
	}
	if agent == "" {
		agent = fetch.DefaultUserAgent
	}
	all := http.Header{"User-Agent": {agent}}
	for name, values := range marked.originHeaders(o) {
		all[http.CanonicalHeaderKey(name)] = values
	}
	own := marked.headers(pl.probe.Request)
	for name, values := range own {
		all[http.CanonicalHeaderKey(name)] = values
	}
	if o.Auth != nil && o.Auth.Scheme == "basic" && own.Get("Authorization") == "" {
		all.Del("Authorization")
		c.add("-u", marked.expand(o.Auth.User)+":"+marked.expand(o.Auth.Value))
	}
	if all.Get("Accept-Encoding") == "" {
		c.add("--compressed")
	}
	if len(g.request.Body) > 0 && all.Get("Content-Type") == "" {
		c.add("-H", "Content-Type:") // or curl would call it a form
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range all[name] {
			if v == "" {
				c.add("-H", name+";")
			} else {
				c.add("-H", name+": "+v)
			}
		}
	}
}

// body writes method and body.
func (c *command) body(g *journey) {
	r := &g.planned.probe.Request
	method := g.request.Method
	if method != "" && method != http.MethodGet && method != http.MethodHead && (method != http.MethodPost || len(g.request.Body) == 0) {
		c.add("-X", method)
	}
	text := string(marked.body(*r))
	switch {
	case len(g.request.Body) == 0:
	case r.File != "":
		c.add("--data-binary", "@"+r.File)
	case len(r.Form) > 0:
		for _, p := range r.Form {
			c.add("--data-urlencode", url.QueryEscape(p.Name)+"="+marked.expand(p.Value))
		}
	case len(text) > maxInline || !plainText(text) || !bytes.Equal([]byte(c.lookup(text)), g.request.Body):
		c.add("--data-binary", bodyFile)
	default:
		c.add("--data-raw", text)
	}
}

// plainText reports whether a text can be pasted into a shell between quotes.
func plainText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f })
}

// target writes the address. Where a value of the environment has to be encoded
// in the query, curl is left to do it.
func (c *command) target(markedURL, sent string, noBody bool) {
	path, query, _ := strings.Cut(markedURL, "?")
	if c.lookup(markedURL) == sent || query == "" {
		c.add(markedURL)
		return
	}
	flag := "--url-query"
	if noBody {
		c.add("-G")
		flag = "--data-urlencode"
	}
	var plain []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		decoded, err := url.QueryUnescape(value)
		if !strings.Contains(value, markOpen) || !mark().MatchString(value) || err != nil {
			plain = append(plain, pair)
			continue
		}
		// An @ before the = would name a file.
		c.add(flag, strings.ReplaceAll(name, "@", "%40")+"="+decoded)
	}
	if len(plain) > 0 {
		path += "?" + strings.Join(plain, "&")
	}
	c.add(path)
}

// isPlain reports whether a word means the same to a shell with quotes and
// without. It is asked for every result: no expression is compiled for it.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_@%+:,./=-", r))
	})
}

// shellWord quotes one word for a POSIX shell: inert, but for the marks, which
// become "$NAME".
func (c *command) shellWord(s string) string {
	var b strings.Builder
	at := 0
	var marks [][]int
	if strings.Contains(s, markOpen) {
		marks = mark().FindAllStringSubmatchIndex(s, -1)
	}
	for _, m := range marks {
		c.quote(&b, s[at:m[0]])
		b.WriteString(`"$` + s[m[2]:m[3]] + `"`)
		at = m[1]
	}
	if at == 0 && s == "" {
		return "''"
	}
	c.quote(&b, s[at:])
	return b.String()
}

func (c *command) quote(b *strings.Builder, s string) {
	s = strings.ToValidUTF8(c.hide(s), string(utf8.RuneError))
	switch {
	case s == "":
	case isPlain(s):
		b.WriteString(s)
	default:
		b.WriteString("'" + strings.ReplaceAll(s, "'", `'\''`) + "'")
	}
}
