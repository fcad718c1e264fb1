package checks

import (
	"net/http"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// origin prepares an origin once.
func (b *builder) origin(o *Origin, problems *source.Collector) *originRun {
	if run := b.origins[o]; run != nil {
		return run
	}
	run := &originRun{origin: o}
	run.agent = b.expand(o.UserAgent)
	if run.agent == "" {
		run.agent = b.plan.opt.UserAgent
	}
	cfg := fetch.Config{
		Name: o.Name, Policy: o.Policy, UserAgent: run.agent, Header: b.originHeaders(o),
		Clock: b.plan.opt.Clock, Rand: b.plan.opt.Rand,
		Rules: o.Answers, RateLimit: rateLimit(o), Breaker: o.Breaker, Charset: o.Charset, Way: b.way(&o.Out),
	}
	cfg.Tape, cfg.Replay, cfg.Hide = b.plan.opt.Tape, b.plan.opt.Replay, b.plan.hide
	if b.plan.opt.Transport != nil {
		cfg.Transport = b.plan.opt.Transport(o)
	}
	run.client = b.plan.opt.clients[o]
	if run.client == nil {
		run.client = fetch.NewClient(cfg)
	}
	run.peer = b.peer(o)
	if s := o.Sentinel; s != nil {
		run.sentinel = fetch.Request{Method: http.MethodGet, URL: b.url(o.URL, &s.Request), Mirrors: b.mirrors(o, &s.Request)}
		if s.JSON {
			run.sentinel.Mode = fetch.ModeJSON
		}
		if err := checkURL(run.sentinel.URL); err != nil {
			problems.Add(s.Pos, "check sentinel: and the variables in it", "the sentinel of origin %s has no usable address: %v", o.Name, err)
		}
	}
	b.origins[o] = run
	b.plan.origins = append(b.plan.origins, run)
	return run
}

// hide masks what the plan knows of secrets by now. A mask that was captured
// from a recording, and percent-encoded on its way into a request, is a mask.
func (p *Plan) hide(s string) string {
	return encodedMask().ReplaceAllString(p.redactor.String(s), "[redacted:$1]")
}

var encodedMask = source.Pattern(`%5Bredacted%3A([A-Za-z0-9._-]+)%5D`)

// way is the way out with its proxy written out.
func (b *builder) way(out *Out) fetch.Way {
	way := out.Way
	way.Proxy = b.proxy(out.Proxy)
	return way
}

// rateLimit names the header of an origin's own that says who asks.
func rateLimit(o *Origin) *fetch.RateLimit {
	if o.RateLimit == nil || o.Auth == nil || o.Auth.Name == "" || !o.RateLimit.PerIdentity {
		return o.RateLimit
	}
	limit := *o.RateLimit
	limit.Credentials = []string{"Authorization", "Cookie", "X-Api-Key", o.Auth.Name}
	return &limit
}
