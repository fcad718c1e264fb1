package mcp

import (
	"testing"

	"github.com/fonteviva/fonteviva/fetch"
)

func TestHandshakes(t *testing.T) {
	for fault, want := range map[string]struct {
		kind   fetch.Kind
		detail fetch.Detail
		status int
		rule   string
	}{
		"init-502":       {fetch.HTTP5xx, "", 502, ""},
		"init-hung":      {fetch.Timeout, fetch.HeaderTimeout, 0, ""},
		"init-not-rpc":   {fetch.MalformedBody, fetch.NotRPC, 200, ""},
		"notified-hung":  {fetch.Timeout, fetch.HeaderTimeout, 0, ""},
		"notified-502":   {fetch.HTTP5xx, "", 502, ""},
		"notified-reset": {fetch.Network, fetch.TCPReset, 0, ""},
		"modern-502":     {fetch.HTTP5xx, "", 502, ""},
		"modern-429":     {fetch.RateLimited, "", 429, ""},
		"modern-hung":    {fetch.Timeout, fetch.HeaderTimeout, 0, ""},
		"modern-reset":   {fetch.Network, fetch.TCPReset, 0, ""},
		"modern-html":    {fetch.MalformedBody, fetch.NotRPC, 200, ""},
		"modern-deep":    {fetch.Aborted, "", 200, ""},
		"version-future": {"", fetch.ProtocolVersion, 200, "mcp.protocol_version"},
		"no-route":       {fetch.NotFound, "", 404, ""},
		"moved-302":      {fetch.Redirect, fetch.RedirectUnsafe, 302, ""},
		"moved-away":     {fetch.Redirect, fetch.RedirectCrossHost, 307, ""},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			x := newWorld(t, fault, nil)
			_, e := x.ask(Op{Verb: Ping})
			if e == nil {
				t.Fatal("an answer")
			}
			rule := ""
			if e.Rule != nil {
				rule = e.Rule.Name
			}
			if e.Kind != want.kind || e.Detail != want.detail || e.Status != want.status || rule != want.rule {
				t.Errorf("got %q %q %d %q, want %+v", e.Kind, e.Detail, e.Status, rule, want)
			}
			if want.kind == fetch.Redirect && e.Location == nil {
				t.Error("where it points is lost")
			}
		})
	}
}

func TestPinnedVersions(t *testing.T) {
	for version, fine := range map[string]bool{"2024-11-05": true, "2025-03-26": true, "2025-06-18": true, "2025-11-25": true, "2026-07-28": false} {
		x := newWorld(t, "ok", func(_ *fetch.Config, c *Config) { c.Protocol = version })
		_, e := x.ask(Op{Verb: Ping})
		if (e == nil) != fine || e != nil && e.Detail != fetch.ProtocolVersion {
			t.Errorf("%s: %v", version, e)
		}
		for _, s := range x.origin.Seen("ok") {
			if s.RPC == "ping" && s.Header.Get(headerVersion) != version && fine {
				t.Errorf("%s: the header says %q", version, s.Header.Get(headerVersion))
			}
		}
	}
}

// Where one version is asked for, a discovery that fails says nothing of what
// the server speaks.
func TestAPinnedVersionThatCannotBeDiscovered(t *testing.T) {
	for fault, kind := range map[string]fetch.Kind{"discover-502": fetch.HTTP5xx, "discover-hung": fetch.Timeout, "modern-502": fetch.HTTP5xx, "ok": ""} {
		x := newWorld(t, fault, func(_ *fetch.Config, c *Config) { c.Protocol = "2026-07-28" })
		if _, e := x.ask(Op{Verb: Ping}); e == nil || e.Kind != kind {
			t.Errorf("%s: got %v, want %q", fault, e, kind)
		}
	}
}
