package checks

import (
	"net/url"

	"github.com/fonteviva/fonteviva/fetch"
)

// noteUnbelieved says that the proxy of HTTP_PROXY was passed over, where some
// request would have gone through it: what then fails looks like the source's
// failure, and what succeeds went another way than was meant.
func (p *Plan) noteUnbelieved(report *Report) {
	if !fetch.UnderCGI() || p.opt.Replay != nil || p.opt.Transport != nil {
		return
	}
	seen := map[*Origin]bool{}
	for _, pl := range p.probes {
		o := pl.probe.Origin
		if seen[o] {
			continue
		}
		seen[o] = true
		u, err := url.Parse(pl.request.URL)
		if err == nil && o.Out.Proxy.IsZero() && o.Out.Way.Unbelieved(u) {
			report.Degrade("proxy", "HTTP_PROXY is not believed while REQUEST_METHOD is set, for then it may be what a stranger's request said: write http_proxy, or proxy: on the origin")
			return
		}
	}
}
