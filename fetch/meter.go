package fetch

import (
	"crypto/tls"
	"net"
	"sync/atomic"
)

// meter counts what is read from a connection: the error by which net/http
// refuses a header that is too large has no type.
type meter struct {
	net.Conn
	read atomic.Int64
}

// Read counts.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	m.read.Add(int64(n))
	return n, err
}

// meterOf finds the meter beneath a connection; nil where there is none.
func meterOf(c net.Conn) *meter {
	for {
		switch on := c.(type) {
		case *meter:
			return on
		case *tls.Conn:
			c = on.NetConn()
		default:
			return nil
		}
	}
}

// shared reports a connection of HTTP/2, which several answers share.
func shared(c net.Conn) bool {
	secure, ok := c.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}
