package fetch

import (
	"context"
	"errors"
)

type callKey struct{}

// ErrNoCall is RequireCall's error about a context without a collector.
var ErrNoCall = errors.New("the context carries no collector")

// WithCall gives a context that carries a collector, for code that cannot pass
// it along. Client.Do uses it where its request names none.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CurrentCall gives the collector that a context carries, nil when it carries
// none. A nil *Call collects nothing.
func CurrentCall(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// RequireCall gives the collector that a context carries, or ErrNoCall.
func RequireCall(ctx context.Context) (*Call, error) {
	if c := CurrentCall(ctx); c != nil {
		return c, nil
	}
	return nil, ErrNoCall
}
