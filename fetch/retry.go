package fetch

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// trip is one journey in progress.
type trip struct {
	c      *Client
	req    *Request
	policy Policy
	url    *url.URL
	start  time.Time // admission
	log    Trip
}

func (c *Client) newTrip(req *Request) (*trip, error) {
	u, err := parseURL(req.URL)
	if err != nil {
		return nil, err
	}
	return &trip{c: c, req: req, policy: c.cfg.Policy, url: u}, nil
}

func (t *trip) begin(queued time.Time) {
	t.start = t.c.clock.Now()
	t.log.Queued = t.start.Sub(queued)
}

func (t *trip) cancelled(prev *Error, cause error) *Error {
	return &Error{Kind: Aborted, Outcome: OutcomeFatal, Detail: Cancelled, Err: cause, Previous: prev, URL: t.req.URL, Trip: t.log}
}

func (t *trip) run(ctx context.Context) (*Answer, error) {
	r, err := http.NewRequestWithContext(ctx, t.req.Method, t.url.String(), nil)
	if err != nil {
		return nil, err
	}
	res, err := t.c.transport.RoundTrip(r)
	if err != nil {
		return nil, &Error{Kind: Network, Err: err, URL: t.req.URL, Trip: t.log}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, &Error{Kind: Network, Err: err, URL: t.req.URL, Trip: t.log}
	}
	t.log.Attempts = append(t.log.Attempts, Attempt{Requests: 1, Status: res.StatusCode})
	a := &Answer{Status: res.StatusCode, Header: res.Header, Body: b, URL: t.req.URL, FinalURL: t.req.URL, RetrievedAt: t.c.clock.Now().UTC(), Trip: t.log}
	t.req.Call.RecordAnswer(a)
	return a, nil
}
