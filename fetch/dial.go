package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// dialFunc opens a connection.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// dialer opens the connections of an own transport. net.DNSError does not keep
// the error of the socket beneath a lookup, so that running out of file
// descriptors would look like a name server's fault. The dialer therefore
// counts how often a lookup was starved of them.
type dialer struct {
	starved atomic.Int64
	socket  dialFunc // for lookups
	net     net.Dialer
}

func newDialer(r *net.Resolver) *dialer {
	d := &dialer{socket: (&net.Dialer{}).DialContext, net: net.Dialer{KeepAlive: 30 * time.Second, Resolver: r}}
	if r == nil {
		d.net.Resolver = &net.Resolver{Dial: d.lookup}
	}
	return d
}

func (d *dialer) lookup(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := d.socket(ctx, network, addr)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		d.starved.Add(1)
	}
	return c, err
}

// dial connects. Lookups of one name are shared between callers, hence the
// count and not the lookup itself tells that this one was starved.
func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	before := d.starved.Load()
	c, err := d.net.DialContext(ctx, network, addr)
	var dns *net.DNSError
	if err != nil && d.starved.Load() > before && errors.As(err, &dns) {
		err = fmt.Errorf("%w: %w", syscall.EMFILE, err)
	}
	return c, err
}
