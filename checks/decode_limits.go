package checks

import (
	"strconv"
	"time"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

const (
	maxRate     = 1_000_000
	maxRequests = 100_000
	maxWindow   = 366 * 24 * time.Hour
	turnedOff   = "off"
)

var rateLimitKeys = source.NewObject("rate_limit",
	source.Field[fetch.RateLimit]{Name: "max", Form: source.Whole(1, maxRate), Doc: "requests in any window", Required: true, Decode: func(r *fetch.RateLimit, n source.Node) { decodeInt(&r.Max, n, 1, maxRate) }},
	source.Field[fetch.RateLimit]{Name: "window", Form: source.TimeFrom(shortest), Doc: "its length, such as 1s, 1m, 1h or 1d", Required: true, Decode: func(r *fetch.RateLimit, n source.Node) {
		decodeWindow(&r.Window, n)
	}},
	source.Field[fetch.RateLimit]{Name: "per", Form: source.OneOf("identity"), Doc: "identity: count each set of credentials apart", Decode: func(r *fetch.RateLimit, n source.Node) {
		_, r.PerIdentity = n.Enum("identity")
	}},
)

// decodeRateLimit reads {max, window, per} or off.
func decodeRateLimit(o *Origin, n source.Node) {
	if isOff(n) {
		o.RateLimit = nil
		return
	}
	limit := &fetch.RateLimit{}
	if n.IsScalar() {
		n.Problem("such as {max: 5, window: 1s}", "rate_limit is a mapping, or off")
	} else if rateLimitKeys.Decode(n, limit) {
		o.RateLimit = limit
	}
}

var breakerKeys = source.NewObject("circuit_breaker",
	source.Field[fetch.BreakerPolicy]{Name: "error_threshold", Form: source.Either(source.With(source.Number, map[string]any{"exclusiveMinimum": 0, "maximum": 1}), source.Matching(`^(0?\.[0-9]*[1-9][0-9]*|1(\.0*)?)$`)), Doc: "the share of failures that opens it, such as 0.5", Decode: decodeThreshold},
	source.Field[fetch.BreakerPolicy]{Name: "min_requests", Form: source.Whole(1, maxRequests), Doc: "attempts before it can open", Decode: func(b *fetch.BreakerPolicy, n source.Node) {
		decodeInt(&b.MinRequests, n, 1, maxRequests)
	}},
	source.Field[fetch.BreakerPolicy]{Name: "window", Form: source.TimeFrom(shortest), Doc: "how far back attempts count", Decode: func(b *fetch.BreakerPolicy, n source.Node) { decodeWindow(&b.Window, n) }},
	source.Field[fetch.BreakerPolicy]{Name: "half_open_after", Form: source.TimeFrom(shortest), Doc: "when one trip may try again", Decode: func(b *fetch.BreakerPolicy, n source.Node) {
		decodeWindow(&b.HalfOpenAfter, n)
	}},
)

// decodeBreaker lays the declared keys over those that are there, or turns the
// breaker off.
func decodeBreaker(o *Origin, n source.Node) {
	if isOff(n) {
		o.Breaker = nil
		return
	}
	breaker := fetch.DefaultBreaker()
	if o.Breaker != nil {
		breaker = *o.Breaker
	}
	if n.IsScalar() {
		n.Problem("such as {error_threshold: 0.5, min_requests: 5, window: 60s, half_open_after: 30s}", "circuit_breaker is a mapping, or off")
	} else if breakerKeys.Decode(n, &breaker) {
		o.Breaker = &breaker
	}
}

func isOff(n source.Node) bool {
	if !n.IsScalar() || n.IsNull() {
		return false
	}
	s, _ := n.String()
	return s == turnedOff
}

func decodeWindow(into *time.Duration, n source.Node) {
	var d time.Duration
	if decodeDuration(&d, n, shortest); d > maxWindow {
		n.Problem("", "expected a duration of at most %s", source.FormatDuration(maxWindow))
		return
	}
	if d > 0 {
		*into = d
	}
}

func decodeThreshold(b *fetch.BreakerPolicy, n source.Node) {
	s, ok := n.String()
	if !ok || !hasNoRef(n) {
		return
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0 && v <= 1) {
		n.Problem("0.5 is half of the attempts", "expected a share above 0 and up to 1, got %s", quoted(s))
		return
	}
	b.ErrorThreshold = v
}
