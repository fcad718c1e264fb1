package fetch

import (
	"net/http"
)

// fates is what a failure of a kind means for repeating it, where nothing finer
// is known.
var fates = map[Kind]Outcome{
	Timeout:       OutcomeRetryable,
	Network:       OutcomeRetryable,
	RateLimited:   OutcomeRateLimited,
	HTTP5xx:       OutcomeRetryable,
	HTTP4xx:       OutcomeClientError,
	MalformedBody: OutcomeSuccess,
	NotFound:      OutcomeClientError,
	Redirect:      OutcomeRedirect,
	Aborted:       OutcomeFatal,
}

// special are the statuses below 500 that are not what their class says.
var special = map[int]Fault{
	http.StatusNotFound:                   {Kind: NotFound, Outcome: OutcomeClientError},
	http.StatusTooManyRequests:            {Kind: RateLimited, Outcome: OutcomeRateLimited},
	http.StatusForbidden:                  {Kind: HTTP4xx, Outcome: OutcomeBlocked},
	http.StatusUnavailableForLegalReasons: {Kind: HTTP4xx, Outcome: OutcomeBlocked},
	http.StatusRequestTimeout:             {Kind: HTTP4xx, Outcome: OutcomeRetryable},
	http.StatusTooEarly:                   {Kind: HTTP4xx, Outcome: OutcomeRetryable},
}

// ClassifyStatus names what a final status line says. The kind is "" for a 2xx.
// A 403 that carries a rate-limit signal (Retry-After, or x-ratelimit-remaining
// 0) is rate_limited. What is no final status (below 200) is network: the
// answer has not come.
func ClassifyStatus(status int, h http.Header) (Kind, Outcome) {
	if status == http.StatusForbidden && limited(h) {
		return RateLimited, OutcomeRateLimited
	}
	if f, ok := special[status]; ok {
		return f.Kind, f.Outcome
	}
	switch {
	case status < 200:
		return Network, OutcomeRetryable
	case status < 300:
		return "", OutcomeSuccess
	case status < 400:
		return Redirect, OutcomeRedirect
	case status < 500:
		return HTTP4xx, OutcomeClientError
	}
	return HTTP5xx, OutcomeRetryable
}

func limited(h http.Header) bool {
	return trimOWS(h.Get("Retry-After")) != "" || trimOWS(h.Get("X-RateLimit-Remaining")) == "0"
}

// retryable is the default table: what a fault of this class says about
// repeating it.
func (f Fault) retryable() bool {
	o := f.Outcome
	if o == OutcomeSuccess { // a rejected body: its kind speaks
		o = fates[f.Kind]
	}
	return o == OutcomeRetryable || o == OutcomeRateLimited || o == OutcomeSuccess
}

// listed reports whether a policy's own list names the failure.
func (r *RetryOn) listed(k Kind, status int) bool {
	for _, kind := range r.Kinds {
		if kind == k {
			return true
		}
	}
	for _, s := range r.Statuses {
		if s == status && s != 0 {
			return true
		}
	}
	return false
}
