package report

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
)

// htmlElements are all that the page is made of, with their attributes.
var htmlElements = map[string]string{
	"html": "lang", "head": "", "meta": "charset http-equiv content name", "title": "", "style": "", "body": "", "header": "", "main": "", "footer": "",
	"h1": "", "h2": "", "h3": "", "p": "class", "ul": "class", "li": "class", "b": "", "i": "class style title", "a": "href", "section": "", "div": "class id",
	"span": "class", "details": "id open", "summary": "class", "dl": "", "dt": "", "dd": "class", "table": "", "thead": "", "tbody": "", "tr": "", "th": "", "td": "data-l", "code": "",
}

func htmlDocument(rep *checks.Report) *Document {
	return NewDocument(rep, policyOf(""), DecideOptions{Format: "html"})
}

func htmlOf(t *testing.T, rep *checks.Report) []byte {
	t.Helper()
	f, _ := FormatNamed("html")
	return render(t, f, htmlDocument(rep), Options{})
}

// everywhere puts a text into everything that an origin can fill.
func everywhere(s string) *checks.Report {
	rep := recorded()
	for i := range rep.Results {
		r := &rep.Results[i]
		r.Title, r.Motivo, r.URL, r.Rule, r.Mirror, r.Reproduce, r.Detail = &s, &s, s, &s, &s, &s, &s
		r.Redirect = &checks.Redirect{Location: s}
		r.Mismatches = append(r.Mismatches, expect.Mismatch{Code: s, Path: &s, Severity: expect.Severity(s), Want: s, Got: s})
	}
	return rep
}

// htmlTraps are texts that act where a page does not escape them.
var htmlTraps = []string{
	hostile, `"><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `' onmouseover=alert(1) x='`, "javascript:alert(1)", "</style><script>alert(1)</script>",
	`<svg onload=alert(1)>`, `{{.}}`, "<!--", "]]>", `</details></section><iframe src="http://evil.example/"></iframe>`, "%3Cscript%3E", "&lt;script&gt;",
}

func TestHTMLIsOnlyWhatWeWrote(t *testing.T) {
	for _, trap := range htmlTraps {
		page := htmlOf(t, everywhere(trap))
		inertBytes(t, page)
		z := html.NewTokenizer(bytes.NewReader(page))
		for z.Next() != html.ErrorToken {
			token := z.Token()
			switch token.Type {
			case html.CommentToken:
				t.Errorf("%q: a comment: %s", trap, token)
			case html.StartTagToken, html.SelfClosingTagToken:
				attributes, known := htmlElements[token.Data]
				if !known {
					t.Errorf("%q: an element <%s>", trap, token.Data)
				}
				for _, a := range token.Attr {
					bad := a.Key == "href" && !regexp.MustCompile(`^#r\d+$`).MatchString(a.Val) ||
						a.Key == "style" && !regexp.MustCompile(`^left:[0-9.]+%;width:[0-9.]+%$`).MatchString(a.Val)
					if bad || !strings.Contains(" "+attributes+" ", " "+a.Key+" ") {
						t.Errorf("%q: <%s %s=%q>", trap, token.Data, a.Key, a.Val)
					}
				}
			}
		}
	}
}

func TestHTMLSaysEveryResult(t *testing.T) {
	page := string(htmlOf(t, recorded()))
	if n := len(regexp.MustCompile(`id="r\d+"`).FindAllString(page, -1)); n != 14 {
		t.Errorf("%d results", n)
	}
	for _, want := range []string{
		`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;"`, "measured 4 of 14", "exit 1: a contract is broken", `<i class="tls" style="left:`,
		`title="tls 9 ms"`, `title="wait 1.0 s"`, "ibge  (breaker open)", `<a href="#r4">`,
	} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("the template refused a value")
	}
	rep := results(checks.Ambiguo)
	rep.Results[0].Since, rep.Results[0].LastMeasuredAt, rep.Results[0].Sentinel = ptr(startedAt), ptr(startedAt), &checks.SentinelTrip{Finding: checks.OK}
	if page := htmlOf(t, rep); bytes.Count(page, []byte("<dd>2026-11-29 20:00:00 UTC</dd>")) != 2 || !bytes.Contains(page, []byte("<dt>sentinel</dt><dd>ok</dd>")) {
		t.Errorf("%s", page)
	}
	down := htmlOf(t, results(checks.Indisponivel))
	if !bytes.Contains(down, []byte("NOTHING WAS MEASURED")) {
		t.Error("it is not said loudly that nothing was measured")
	}
}

// TestHTMLBars holds the places of the bars on the axis: a share of the whole
// result, whose trips follow each other.
func TestHTMLBars(t *testing.T) {
	r := flakyResult()
	h := &htmlWriter{doc: htmlDocument(okReport())}
	d := &htmlDetail{}
	h.waterfall(d, &r)
	got := ""
	for _, trip := range d.Trips {
		for _, a := range trip.Attempts {
			for _, bar := range a.Bars {
				got += bar.Class + " " + string(bar.Style) + "\n"
			}
		}
	}
	want := "ttfb left:0.00%;width:0.15%\nwait left:0.15%;width:12.41%\nttfb left:12.56%;width:0.10%\nwait left:37.47%;width:62.03%\nttfb left:99.50%;width:0.50%\n"
	if d.End != "8.1 s" || got != want {
		t.Errorf("axis to %s\n%s", d.End, got)
	}
}

func TestHTMLStaysWithinItsBudget(t *testing.T) {
	worst := many(10_000)
	long := strings.Repeat(hostile, 20)
	for i := range worst.Results {
		worst.Results[i] = driftResult()
		for range 5 {
			worst.Results[i].Mismatches = append(worst.Results[i].Mismatches, expect.Mismatch{Code: "json.equals", Severity: expect.Fail, Want: long, Got: long})
		}
		worst.Results[i].Title = &long
	}
	for name, rep := range map[string]*checks.Report{"usual": many(10_000), "worst": worst} {
		page := htmlOf(t, rep)
		if len(page) > 10_000_000 {
			t.Errorf("%s: %d bytes", name, len(page))
		}
		if n := bytes.Count(page, []byte(` id="r`)); n != 10_000 {
			t.Errorf("%s: %d results", name, n)
		}
		if cut := bytes.Contains(page, []byte("the page is full: the details of ")); cut != (name == "worst") {
			t.Errorf("%s: it says that details were left out: %t", name, cut)
		}
	}
}

// browsed opens a page in Chromium and gives its DOM, what it logged, and the
// hosts that it asked for: everything goes to a proxy of ours.
func browsed(t *testing.T, chromium, path string) (dom, log string, asked []string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
				if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					mu.Lock()
					asked = append(asked, req.Host)
					mu.Unlock()
				}
				_, _ = conn.Write([]byte("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			})
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "--proxy-server=http://"+listener.Addr().String(), "--proxy-bypass-list=<-loopback>",
		"--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom", "file://"+path)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	_ = listener.Close()
	wg.Wait()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return out.String(), errs.String(), asked
}

func TestHTMLInChromium(t *testing.T) {
	chromium := reader(t, "chromium", "chromium")
	dir := t.TempDir()
	page := htmlOf(t, everywhere(strings.Join(htmlTraps, " ")))
	path := filepath.Join(dir, "run.html")
	if err := os.WriteFile(path, page, 0o600); err != nil {
		t.Fatal(err)
	}
	dom, log, asked := browsed(t, chromium, path)
	if !strings.Contains(dom, "</footer>") || strings.Count(dom, "<script") != 0 || strings.Count(dom, "<iframe") != 0 {
		t.Errorf("the page became\n%.2000s", dom)
	}
	if strings.Contains(log, "CONSOLE") || len(foreign(asked)) > 0 {
		t.Errorf("it asked for %q and logged\n%s", asked, log)
	}
	// The same look at a page that does act, so that the look is known to see.
	bad := filepath.Join(dir, "bad.html")
	if err := os.WriteFile(bad, []byte(`<script>console.error("seen")</script><img src="http://evil.example/x.png">`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, log, asked := browsed(t, chromium, bad); !strings.Contains(log, "CONSOLE") || len(foreign(asked)) == 0 {
		t.Errorf("a page that acts is not seen: it asked for %q and logged\n%s", asked, log)
	}
}

// foreign leaves out what a browser asks its maker for on its own.
func foreign(hosts []string) []string {
	var out []string
	for _, h := range hosts {
		if host, _, _ := strings.Cut(h, ":"); !strings.HasSuffix(host, ".google.com") && !strings.HasSuffix(host, ".googleapis.com") && !strings.HasSuffix(host, ".gvt1.com") {
			out = append(out, h)
		}
	}
	return out
}
