//go:build unix

package checks_test

import (
	"os"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
	faulty "github.com/fonteviva/fonteviva/fixtures/mcp"
)

// TestReplayOfMCP: sessions over HTTP are recorded whole, whatever is asked
// beside them; a command is never started in a replay.
func TestReplayOfMCP(t *testing.T) {
	origin, err := faulty.Start()
	if err != nil {
		t.Fatal(err)
	}
	live, again := replayed(t, mcpDefaults+`
origins:
  plain: {mcp: {url: '`+origin.At("ok")+`'}}
  stream: {mcp: {url: '`+origin.At("sse")+`'}}
  stale: {mcp: {url: '`+origin.At("stale-404")+`'}}
  pages: {mcp: {url: '`+origin.At("pages")+`'}}
  down: {mcp: {url: '`+origin.At("502")+`'}}
  pipe: {mcp: {command: ['`+os.Args[0]+`'], env: {`+faulty.AskVariable+`: ok}}}
probes:
  - {name: echo, origin: plain, mcp: {call: echo, arguments: {text: x}}, expect: {is_error: false, text: {equals: 'Echo: x'}, unknown_argument: refuse}}
  - {name: again, origin: plain, mcp: {call: echo, arguments: {text: y}}, expect: {text: {equals: other}}}
  - {name: fails, origin: plain, mcp: {call: fails}, expect: {output_schema: true}}
  - {name: sse, origin: stream, mcp: {call: echo, arguments: {text: x}}}
  - {name: stale, origin: stale, mcp: {call: echo, arguments: {text: x}}}
  - {name: pages, origin: pages, mcp: {list: tools}, expect: {count: 7, titles: true}}
  - {name: down, origin: down, mcp: ping}
  - {name: pipe, origin: pipe, mcp: ping}
`, nil, 8, origin.Close)
	for i := range live.Results {
		a, b := &live.Results[i], &again.Results[i]
		if a.Name == "pipe" {
			if b.Finding != checks.Alheio || b.Cause == nil || *b.Cause != fetch.CauseNoRecording {
				t.Errorf("live   %s\nreplay %s", story(a), story(b))
			}
			continue
		}
		if story(a) != story(b) {
			t.Errorf("live   %s\nreplay %s", story(a), story(b))
		}
	}
}
