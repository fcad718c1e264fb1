package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// dialFunc opens a connection.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// maxDials is how many connections one request may open. When an HTTP/2 server
// ends a connection or a stream before it answers (GOAWAY, or RST_STREAM with
// PROTOCOL_ERROR, as nginx does for "return 444"), net/http sends the request
// again on a new connection, at once and as often as it takes.
const maxDials = 3

var errDials = fmt.Errorf("the server ended %d connections in turn and answered on none: %w", maxDials, io.EOF)

// underWatch opens connections under the eyes of the request that wants them, and
// no more than maxDials for one.
func underWatch(open dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		t := trackerOf(ctx)
		switch {
		case t == nil: // such as the end of a session
			return open(ctx, network, addr)
		case !t.mayDial():
			return nil, errDials
		}
		c, err := open(t.watchDial(ctx), network, addr)
		if err != nil {
			return nil, err
		}
		return &meter{Conn: c}, nil
	}
}

// familyHeadStart is how long the preferred IP family is alone (RFC 8305 §8
// recommends 250 ms between attempts).
const familyHeadStart = 300 * time.Millisecond

// dialer opens the connections of an own transport. net.DNSError does not keep
// the error of the socket beneath a lookup, so that running out of file
// descriptors would look like a name server's fault, or like a name that does
// not exist. The dialer therefore counts how often a lookup's socket was starved
// of them; what kept the system's own files shut (hosts, resolv.conf) nothing
// tells, and the limit itself is looked at.
type dialer struct {
	starved  atomic.Int64
	socket   dialFunc // for lookups
	server   string   // the name server to ask, "" for the system's
	prefer   int      // 4, 6 or 0
	absolute bool     // no search domains
	net      net.Dialer
}

func newDialer(r *net.Resolver, w Way) *dialer {
	d := &dialer{
		socket: (&net.Dialer{}).DialContext, prefer: w.IP,
		net: net.Dialer{KeepAlive: 30 * time.Second, Timeout: dialLimit, Resolver: r},
	}
	if r == nil {
		d.server, d.absolute = w.DNS, w.DNS != ""
		d.net.Resolver = &net.Resolver{PreferGo: d.server != "", Dial: d.lookup}
	}
	return d
}

// lookup opens a connection to a name server: the declared one, whatever the
// system would have asked.
func (d *dialer) lookup(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.server != "" {
		addr = d.server
	}
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
	if d.absolute {
		addr = absolute(addr)
	}
	c, err := d.ordered(ctx, network, addr)
	return c, d.starvation(err, before)
}

// starvation says what a failed lookup was really short of.
func (d *dialer) starvation(err error, before int64) error {
	var dns *net.DNSError
	if errors.As(err, &dns) && (d.starved.Load() > before || shortOfFiles()) {
		return fmt.Errorf("%w: %w", syscall.EMFILE, err)
	}
	return err
}

// absolute ends a name with the dot that keeps search domains away.
func absolute(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" || strings.HasSuffix(host, ".") {
		return addr
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return addr
	}
	return net.JoinHostPort(host+".", port)
}

// resolve looks a name up, the preferred family first.
func (d *dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	before := d.starved.Load()
	if d.absolute && !strings.HasSuffix(host, ".") {
		host += "."
	}
	found, err := d.net.Resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, d.starvation(err, before)
	}
	var first, second []netip.Addr
	for _, a := range found {
		a = a.Unmap()
		if d.prefer == 4 && !a.Is4() || d.prefer == 6 && a.Is4() {
			second = append(second, a)
			continue
		}
		first = append(first, a)
	}
	return append(first, second...), nil
}

// families are the networks of a preference, in order.
var families = map[int][2]string{4: {"tcp4", "tcp6"}, 6: {"tcp6", "tcp4"}}

// dialed is how one family ended.
type dialed struct {
	conn net.Conn
	err  error
}

// ordered dials under the preference. The second family starts when the first
// has failed or has had its head start; whoever connects first wins, and the
// other is closed. With both failed it is the first family's error, unless the
// name just has no address in that family.
func (d *dialer) ordered(ctx context.Context, network, addr string) (net.Conn, error) {
	order, ok := families[d.prefer]
	if !ok || network != "tcp" {
		return d.net.DialContext(ctx, network, addr)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first, second := d.begin(ctx, order[0], addr), (chan dialed)(nil)
	head := time.NewTimer(familyHeadStart)
	defer head.Stop()
	var fault [2]error
	for fault[0] == nil || fault[1] == nil {
		select {
		case <-head.C:
		case r := <-first:
			if r.err == nil {
				abandon(second)
				return r.conn, nil
			}
			first, fault[0] = nil, r.err
		case r := <-second:
			if r.err == nil {
				abandon(first)
				return r.conn, nil
			}
			second, fault[1] = nil, r.err
		}
		if second == nil && fault[1] == nil {
			second = d.begin(ctx, order[1], addr)
		}
	}
	if noAddress(fault[0]) {
		return nil, fault[1]
	}
	return nil, fault[0]
}

func (d *dialer) begin(ctx context.Context, network, addr string) chan dialed {
	ch := make(chan dialed, 1)
	go func() {
		c, err := d.net.DialContext(ctx, network, addr)
		ch <- dialed{c, err}
	}()
	return ch
}

// abandon closes what a lost race still brings. Its context is about to end.
func abandon(ch chan dialed) {
	if ch == nil {
		return
	}
	go func() {
		if r := <-ch; r.conn != nil {
			r.conn.Close()
		}
	}()
}

// noAddress reports that the other family may know better: the name, or the
// literal address, has nothing in this one.
func noAddress(err error) bool {
	var dns *net.DNSError
	var addr *net.AddrError
	return errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &addr)
}
