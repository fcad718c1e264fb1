package mcp

import (
	"regexp"
	"slices"
	"sync"

	"github.com/fonteviva/fonteviva/fetch"
)

// dated finds what looks like a version of the protocol: they are dates.
var dated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`) })

// named gives the newest known version, other than ours, that a server names in
// its refusal; "" where it names none.
func named(r *fetch.Reply, ours string) string {
	refuses := r.RPC != nil && r.RPC.Code != nil || r.Response != nil && r.Response.StatusCode == 400
	if !refuses {
		return ""
	}
	offered := dated().FindAllString(string(r.Body), -1)
	for _, v := range Versions() {
		if v != ours && slices.Contains(offered, v) {
			return v
		}
	}
	return ""
}
