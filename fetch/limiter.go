package fetch

import "time"

// RateLimit is how many requests may leave for an origin: never more than Max
// in any Window, whatever they are (first attempts, retries, redirects, replays
// by the transport, mirrors).
type RateLimit struct {
	Max    int
	Window time.Duration
	// PerIdentity counts apart for each set of credentials.
	PerIdentity bool
	// Credentials names the request headers that make an identity; nil means
	// Authorization, Cookie, Proxy-Authorization and X-Api-Key.
	Credentials []string
}
