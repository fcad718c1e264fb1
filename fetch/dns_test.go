package fetch

import (
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// zone is a name server on loopback that knows the addresses of every name.
type zone struct {
	a, aaaa []string
	rcode   []dnsmessage.RCode // of the answers, in order, the last one for good
	tcp     bool               // says over UDP that the answer is too long for it

	mu      sync.Mutex
	names   []string // asked for
	overTCP int
	count   int
}

func (z *zone) answer(question []byte, tcp bool) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) == 0 {
		return nil
	}
	q := m.Questions[0]
	z.mu.Lock()
	z.names = append(z.names, q.Name.String())
	if tcp {
		z.overTCP++
	}
	if n := z.count; len(z.rcode) > 0 {
		m.RCode = z.rcode[min(n, len(z.rcode)-1)]
	}
	z.count++
	z.mu.Unlock()
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	if z.tcp && !tcp {
		m.Truncated = true
	} else if m.RCode == dnsmessage.RCodeSuccess {
		m.Answers = z.records(q)
	}
	out, _ := m.Pack()
	return out
}

// asked gives the names that were asked for, and how many of them over TCP.
func (z *zone) asked() (names []string, overTCP int) {
	z.mu.Lock()
	defer z.mu.Unlock()
	return append(names, z.names...), z.overTCP
}

func (z *zone) records(q dnsmessage.Question) (list []dnsmessage.Resource) {
	head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0}
	switch q.Type {
	case dnsmessage.TypeA:
		for _, s := range z.a {
			list = append(list, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: netip.MustParseAddr(s).As4()}})
		}
	case dnsmessage.TypeAAAA:
		for _, s := range z.aaaa {
			list = append(list, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: netip.MustParseAddr(s).As16()}})
		}
	}
	return list
}

func (z *zone) start(t *testing.T) string {
	t.Helper()
	pc, l := twoListeners(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			if out := z.answer(buf[:n], false); out != nil {
				pc.WriteTo(out, from)
			}
		}
	})
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			var size uint16
			if binary.Read(c, binary.BigEndian, &size) == nil {
				q := make([]byte, size)
				io.ReadFull(c, q)
				out := z.answer(q, true)
				c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...))
			}
			c.Close()
		}
	})
	t.Cleanup(func() { pc.Close(); l.Close(); wg.Wait() })
	return pc.LocalAddr().String()
}

// twoListeners listen on the same port, over UDP and TCP.
func twoListeners(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	for range 20 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if pc, err := net.ListenPacket("udp", l.Addr().String()); err == nil {
			return pc, l
		}
		l.Close() // the port was taken over UDP
	}
	t.Fatal("no port is free over both UDP and TCP")
	return nil, nil
}

// bothFamilies serves on the same port of 127.0.0.1 and ::1, each saying which it is.
func bothFamilies(t *testing.T) (port string) {
	t.Helper()
	say := func(text string) *httptest.Server {
		return httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }))
	}
	four, six := say("4"), say("6")
	probe, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6 on loopback: %v", err)
	}
	probe.Close()
	for range 20 {
		_, port, _ = net.SplitHostPort(four.Listener.Addr().String())
		l, err := net.Listen("tcp6", "[::1]:"+port)
		if err == nil {
			six.Listener.Close()
			six.Listener = l
			break
		}
		four.Listener.Close() // the port was taken over IPv6
		if four.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	four.Start()
	six.Start()
	t.Cleanup(func() { four.Close(); six.Close() })
	return port
}

func TestDeclaredNameServer(t *testing.T) {
	port := bothFamilies(t)
	_, dead, _ := net.SplitHostPort(strings.TrimPrefix(refusing(t), "http://"))
	onlyFour := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "4") }))
	defer onlyFour.Close()
	_, fourPort, _ := net.SplitHostPort(onlyFour.Listener.Addr().String())
	both := zone{a: []string{"127.0.0.1"}, aaaa: []string{"::1"}}
	for _, tt := range []struct {
		name   string
		zone   *zone
		ip     int
		port   string
		want   string
		detail Detail
	}{
		{"by UDP", &zone{a: []string{"127.0.0.1"}}, 0, port, "4", ""},
		{"by TCP", &zone{a: []string{"127.0.0.1"}, tcp: true}, 0, port, "4", ""},
		{"4 first", &zone{a: both.a, aaaa: both.aaaa}, 4, port, "4", ""},
		{"6 first", &zone{a: both.a, aaaa: both.aaaa}, 6, port, "6", ""},
		{"6 first, but there is no address", &zone{a: both.a}, 6, port, "4", ""},
		{"6 first, but nobody listens", &zone{a: both.a, aaaa: both.aaaa}, 6, fourPort, "4", ""},
		{"4 first, nobody listens on either", &zone{a: both.a, aaaa: both.aaaa}, 4, dead, "", TCPRefused},
		{"4 first, the name does not exist", &zone{rcode: []dnsmessage.RCode{dnsmessage.RCodeNameError}}, 4, port, "", DNSNXDomain},
		{"the name does not exist", &zone{rcode: []dnsmessage.RCode{dnsmessage.RCodeNameError}}, 0, port, "", DNSNXDomain},
		{"the server fails", &zone{rcode: []dnsmessage.RCode{dnsmessage.RCodeServerFailure}}, 0, port, "", DNSServfail},
		{"the server refuses", &zone{rcode: []dnsmessage.RCode{dnsmessage.RCodeRefused}}, 0, port, "", DNSServfail},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, Config{Policy: once(), Way: Way{DNS: tt.zone.start(t), IP: tt.ip}})
			a, err := c.Do(t.Context(), &Request{URL: "http://origin.test:" + tt.port + "/"})
			names, overTCP := tt.zone.asked()
			for _, name := range names {
				if name != "origin.test." {
					t.Errorf("asked for %s", name)
				}
			}
			if (overTCP > 0) != tt.zone.tcp || len(names) == 0 {
				t.Errorf("%d of %d over TCP", overTCP, len(names))
			}
			if tt.detail != "" {
				if e := failed(t, err); e.Kind != Network || e.Detail != tt.detail || e.Retryable == (tt.detail == DNSNXDomain) {
					t.Errorf("got %s/%s retryable %v: %v", e.Kind, e.Detail, e.Retryable, e.Err)
				}
				return
			}
			if err != nil || string(a.Body) != tt.want {
				t.Fatalf("%v, %+v", err, a)
			}
			if at := a.Trip.Attempts[0]; at.DNS < 0 || at.Connect < 0 {
				t.Errorf("times %+v", at)
			}
		})
	}
}

// TestServfailComesAndGoes: what a name server could not say it may say the
// next time, and a name that does not exist is asked for once.
func TestServfailComesAndGoes(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))
	defer s.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	p := exact()
	p.Backoff.Base = time.Millisecond
	fail := make([]dnsmessage.RCode, 64)
	for i := range fail {
		fail[i] = dnsmessage.RCodeServerFailure
	}
	z := &zone{a: []string{"127.0.0.1"}, rcode: fail}
	recover := p
	recover.Retries = 8
	c := newClient(t, Config{Policy: recover, Way: Way{DNS: z.start(t)}, RetryOn: func(e RetryEvent) bool {
		z.mu.Lock()
		defer z.mu.Unlock()
		z.rcode = nil // it has recovered
		return e.Kind == Network
	}})
	a, err := c.Do(t.Context(), &Request{URL: "http://origin.test:" + port + "/"})
	if err != nil || len(a.Trip.Attempts) != 2 || a.Trip.Attempts[0].Detail != DNSServfail {
		t.Errorf("%v, %+v", err, a)
	}
	gone := &zone{rcode: []dnsmessage.RCode{dnsmessage.RCodeNameError}}
	_, err = newClient(t, Config{Policy: p, Way: Way{DNS: gone.start(t)}}).Do(t.Context(), &Request{URL: "http://origin.test:" + port + "/"})
	if e := failed(t, err); e.Attempts() != 1 || e.Outcome != OutcomeFatal {
		t.Errorf("%d attempts, %s", e.Attempts(), e.Outcome)
	}
}
