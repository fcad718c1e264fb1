package checks

import (
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

const (
	defaultAmbiguousWait = 5 * time.Second
	defaultConfirmWait   = time.Second

	maxRetries  = 20
	maxTrips    = 10
	maxInFlight = 10_000
	// shortest is the least duration where zero would mean never or at once.
	shortest = time.Millisecond
)

type originField = source.Field[Origin]

// networkKeys are the keys that an origin and defaults: have in common.
var networkKeys = []originField{
	{Name: "user_agent", Form: source.SomeText, Doc: "the User-Agent header", Decode: func(o *Origin, n source.Node) { decodeUserAgent(&o.UserAgent, n) }},
	{Name: "headers", Form: headersForm, Doc: "request headers, by name", Decode: func(o *Origin, n source.Node) { decodeHeaders(&o.Headers, n, originHeaders) }},
	{Name: "timeout", Form: source.TimeFrom(shortest), Doc: "cap of one attempt", Decode: func(o *Origin, n source.Node) { decodeDuration(&o.Policy.Timeout, n, shortest) }},
	{Name: "budget", Form: source.TimeFrom(shortest), Doc: "total of one trip, waits included", Decode: func(o *Origin, n source.Node) { decodeDuration(&o.Policy.Budget, n, shortest) }},
	{Name: "retries", Form: source.Whole(0, maxRetries), Doc: "attempts beyond the first", Decode: func(o *Origin, n source.Node) { decodeInt(&o.Policy.Retries, n, 0, maxRetries) }},
	{Name: "backoff", Form: backoffKeys.Form, Doc: "the wait before a retry", Decode: func(o *Origin, n source.Node) { backoffKeys.Decode(n, &o.Policy.Backoff) }},
	{Name: "honor_retry_after", Form: source.Flag, Doc: "wait as long as Retry-After asks", Decode: func(o *Origin, n source.Node) {
		v, ok := n.Bool()
		source.Optional(&o.Policy.HonorRetryAfter, v, ok)
	}},
	{Name: "retry_on", Form: retryOnForm, Doc: "kinds and status codes that are retried", Decode: func(o *Origin, n source.Node) { decodeRetryOn(&o.Policy.RetryOn, n) }},
	{Name: "redirects", Form: source.OneOf("none", "same-host", "follow"), Doc: "none, same-host or follow", Decode: func(o *Origin, n source.Node) {
		v, ok := n.Enum(string(fetch.RedirectsNone), string(fetch.RedirectsSameHost), string(fetch.RedirectsFollow))
		source.Optional(&o.Policy.Redirects, fetch.RedirectPolicy(v), ok)
	}},
	{Name: "max_body", Form: source.Bytes, Doc: "largest answer that is read, decoded", Decode: func(o *Origin, n source.Node) {
		v, ok := n.Size()
		source.Optional(&o.Policy.MaxBody, v, ok)
	}},
	{Name: "max_in_flight", Form: source.Whole(1, maxInFlight), Doc: "trips at a time", Decode: func(o *Origin, n source.Node) { decodeInt(&o.Policy.MaxInFlight, n, 1, maxInFlight) }},
	{Name: "ambiguous", Form: retripKeys.Form, Doc: "trips before an ambiguous answer is believed", Decode: func(o *Origin, n source.Node) { retripKeys.Decode(n, &o.Ambiguous) }},
	{Name: "confirm", Form: retripKeys.Form, Doc: "trips before drift or respondeu is believed", Decode: func(o *Origin, n source.Node) { retripKeys.Decode(n, &o.Confirm) }},
	{Name: "rate_limit", Form: source.Either(rateLimitKeys.Form, source.OneOf(turnedOff)), Doc: "requests in a window of time, or off", Decode: decodeRateLimit},
	{Name: "circuit_breaker", Form: source.Either(breakerKeys.Form, source.OneOf(turnedOff)), Doc: "when an origin that is down is no longer asked, or off", Decode: decodeBreaker},
	{Name: "tls", Form: tlsKeys.Form, Doc: "authorities and a certificate of our own", Decode: decodeTLS},
	{Name: "proxy", Form: proxyForm, Doc: "http, https, socks5 or socks5h URL, or none; the environment's where silent", Decode: decodeProxy},
	{Name: "charset", Form: source.SomeText, Doc: "what the bytes of an answer are", Decode: decodeCharset},
	{Name: "cookies", Form: source.Flag, Doc: "keep what the origin sets, for the run", Decode: func(o *Origin, n source.Node) {
		v, ok := n.Bool()
		source.Optional(&o.Out.Way.Cookies, v, ok)
	}},
	{Name: "http2", Form: source.Flag, Doc: "false speaks HTTP/1.1 only", Decode: decodeHTTP2},
	{Name: "prefer_ip", Form: source.OneOf("4", "6"), Doc: "the family that is tried first, 4 or 6", Decode: decodePreferIP},
	{Name: "ip", Elsewhere: "write prefer_ip: the other family is tried too where it fails"},
	{Name: "dns", Form: source.SomeText, Doc: "the name server to ask, host:port", Decode: decodeDNS},
	{Name: "trace_header", Form: source.OneOrList(0, source.Matching(tokenPattern)), Doc: "request headers that carry trace codes: traceparent, or a name", Decode: decodeTraceHeader},
}

var defaultsKeys = source.NewObject("defaults", slices.Concat(networkKeys, []originField{
	{Name: "max_unmeasured", Form: source.TimeFrom(time.Second), Doc: "longest time that a probe may go unmeasured", Decode: func(o *Origin, n source.Node) { decodeDuration(&o.MaxUnmeasured, n, time.Second) }},
	originOnly("url"), originOnly("auth"), originOnly("mirrors"), originOnly("sentinel"), originOnly("answers"), originOnly("mcp"),
})...)

// originOnly is a key that defaults: do not have.
func originOnly(name string) originField {
	return originField{Name: name, Elsewhere: "move it into the origin that it is meant for"}
}

var originKeys = source.NewObject("an origin", slices.Concat([]originField{
	{Name: "url", Form: baseURLForm, Doc: "the address that probes start from", Decode: decodeBaseURL},
	{Name: "auth", Form: source.With(authKeys.Form, source.ExactlyOne("bearer", "basic", "header")), Doc: "how requests identify themselves", Decode: decodeAuth},
}, networkKeys, []originField{
	{Name: "max_unmeasured", Elsewhere: "write it in a probe, or in defaults for all of them"},
	{Name: "mirrors", Form: source.List(0, baseURLForm), Doc: "other addresses of the same source", Decode: decodeMirrors},
	{Name: "sentinel", Form: source.Either(source.With(source.Matching(targetPattern), map[string]any{"minLength": 1}), sentinelKeys.Form), Doc: "a known-good request", Decode: decodeSentinel},
	{Name: "answers", Form: source.List(0, source.With(ruleKeys.Form, map[string]any{"minProperties": 2})), Doc: "what this origin's answers mean", Decode: decodeAnswers},
	{Name: "mcp", Form: source.With(mcpServerKeys.Form, source.ExactlyOne("url", "command")), Doc: "a Model Context Protocol server: {url, protocol} or {command, env, cwd, protocol}", Decode: decodeMCPServer},
	{Name: "vantages", Doc: "the ways out to it"},
})...)

var retripKeys = source.NewObject("ambiguous and confirm",
	source.Field[Retrip]{Name: "trips", Form: source.Whole(1, maxTrips), Doc: "trips in all; 1 turns it off", Decode: func(r *Retrip, n source.Node) { decodeInt(&r.Trips, n, 1, maxTrips) }},
	source.Field[Retrip]{Name: "wait", Form: source.Time, Doc: "between the trips", Decode: func(r *Retrip, n source.Node) { decodeDuration(&r.Wait, n, 0) }},
)

var backoffKeys = source.NewObject("backoff",
	source.Field[fetch.Backoff]{Name: "strategy", Form: source.OneOf("exponential", "linear", "fixed"), Doc: "exponential, linear or fixed", Decode: func(b *fetch.Backoff, n source.Node) {
		v, ok := n.Enum(string(fetch.Exponential), string(fetch.Linear), string(fetch.Fixed))
		source.Optional(&b.Strategy, fetch.BackoffStrategy(v), ok)
	}},
	source.Field[fetch.Backoff]{Name: "base", Form: source.TimeFrom(shortest), Doc: "the first wait", Decode: func(b *fetch.Backoff, n source.Node) { decodeDuration(&b.Base, n, shortest) }},
	source.Field[fetch.Backoff]{Name: "max", Form: source.TimeFrom(shortest), Doc: "the longest wait", Decode: func(b *fetch.Backoff, n source.Node) { decodeDuration(&b.Max, n, shortest) }},
	source.Field[fetch.Backoff]{Name: "jitter", Form: source.Either(source.Time, source.OneOf("full", "none")), Doc: "a duration, full or none", Decode: decodeJitter},
)

// decodeJitter reads a duration, full (the whole wait is drawn) or none.
func decodeJitter(b *fetch.Backoff, n source.Node) {
	s, ok := n.String()
	if !ok {
		return
	}
	b.FullJitter = s == "full"
	if s == "full" || s == "none" {
		b.Jitter = 0
		return
	}
	d, err := source.ParseDuration(s)
	if err != nil {
		n.Problem(source.DidYouMean(s, []string{"full", "none"}), "expected a duration, full or none, got %s", quoted(s))
		return
	}
	b.Jitter = d
}

// decodeRetryOn reads kinds and status codes; an empty list retries nothing.
func decodeRetryOn(into **fetch.RetryOn, n source.Node) {
	items, ok := n.Items()
	if !ok {
		return
	}
	on := &fetch.RetryOn{}
	for _, item := range items {
		s, ok := item.String()
		if !ok {
			continue
		}
		if kind := fetch.Kind(s); slices.Contains(retryableKinds, s) {
			on.Kinds = append(on.Kinds, kind)
		} else if s != "" && s[0] >= '0' && s[0] <= '9' {
			if v, ok := item.Int(100, 999); ok {
				on.Statuses = append(on.Statuses, v)
			}
		} else if kind == fetch.Aborted {
			item.Problem("remove it", "aborted is never retried: our own side ended the attempt")
		} else {
			item.Problem(source.DidYouMean(s, retryableKinds), "%s is neither a kind nor a status code", quoted(s))
		}
	}
	*into = on
}

var retryableKinds = func() (names []string) {
	for _, k := range fetch.Kinds() {
		if k != fetch.Aborted {
			names = append(names, string(k))
		}
	}
	return names
}()

func decodeDuration(into *time.Duration, n source.Node, low time.Duration) {
	if hasNoRef(n) {
		v, ok := n.Duration(low)
		source.Optional(into, v, ok)
	}
}

func decodeInt(into *int, n source.Node, low, high int) {
	if hasNoRef(n) {
		v, ok := n.Int(low, high)
		source.Optional(into, v, ok)
	}
}
