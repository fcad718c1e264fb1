package checks

import (
	"fmt"
	"testing"
)

func TestReadsNothing(t *testing.T) {
	for _, c := range []struct {
		probe string // keys beside name, origin and the request
		want  bool
	}{
		{"", true},
		{"as: text", true},
		{"expect: {}", true},
		{"expect: {status: 200}", true},
		{"expect: {status: [200, 204]}", true},
		{"expect: {status: 2xx}", true},
		{"tags: [x], retries: 1, empty: fail, max_unmeasured: 1d", true},
		{"expect: {status: 404}", false},
		{"expect: {status: [200, 404]}", false},
		{"expect: {status: 200, max_duration: 1s}", false},
		{"expect: {headers: {etag: {exists: true}}}", false},
		{"expect: {content_type: application/json}", false},
		{"expect: {body: {contains: x}}", false},
		{"expect: {cel: ['status == 200']}", false},
		{"as: json", false},
		{"as: csv", false},
		{"as: xml", false},
		{"capture: {id: {path: $.id}}", false},
		{"capture: {tag: {header: ETag}}", false},
		{"empty_when: {path: '$[*]'}", false},
		{"next: {link: next}, as: json", false},
	} {
		if got := onlyProbe(t, "{url: 'http://a.example'}", "get: /, "+c.probe).ReadsNothing(); got != c.want {
			t.Errorf("%s: %v", c.probe, got)
		}
	}
	for origin, want := range map[string]bool{
		"{url: 'http://a.example', answers: [{status: 200, body_is: html, means: ambiguo}]}":  false,
		"{url: 'http://a.example', answers: [{body_contains: sorry, means: indisponivel}]}":   false,
		"{url: 'http://a.example', answers: [{status: 500, means: respondeu}]}":               true,
		"{url: 'http://a.example', answers: [{status: 200, body_contains: fine, means: ok}]}": true,
	} {
		if got := onlyProbe(t, origin, "get: /").ReadsNothing(); got != want {
			t.Errorf("%s: %v", origin, got)
		}
	}
	if onlyProbe(t, "{mcp: {url: 'http://a.example/mcp'}}", "mcp: ping").ReadsNothing() {
		t.Error("a question to an MCP server reads nothing")
	}
}

// onlyProbe loads the one probe of an origin.
func onlyProbe(t *testing.T, origin, keys string) *Probe {
	t.Helper()
	d := loadText(t, fmt.Sprintf("version: 1\norigins: {o: %s}\nprobes: [{name: p, origin: o, %s}]\n", origin, keys))
	return d.Probes[0]
}
