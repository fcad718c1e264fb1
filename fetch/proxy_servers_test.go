package fetch

import (
	"bufio"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// testProxy is a small HTTP proxy: absolute-form requests and CONNECT, with an
// optional password.
type testProxy struct {
	password string // "user:password"
	refuse   int    // this status for everything
	header   http.Header
	upstream string // where everything really goes, "" for where it was addressed
	waits    bool   // for an origin that never answers

	mu    sync.Mutex
	asked []string // "METHOD target", of what was authorised
	auth  []string // Proxy-Authorization as it came
}

func (p *testProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.auth = append(p.auth, r.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	for name, values := range p.header {
		w.Header()[name] = values
	}
	switch {
	case p.password != "" && r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(p.password)):
		w.WriteHeader(407)
		return
	case p.refuse != 0:
		w.WriteHeader(p.refuse)
		return
	case p.waits:
		<-r.Context().Done()
		return
	}
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.RequestURI)
	p.mu.Unlock()
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	out := r.Clone(r.Context())
	out.Header.Del("Proxy-Authorization")
	if p.upstream != "" {
		out.URL.Host = p.upstream
	}
	t := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	res, err := t.RoundTrip(out)
	if err != nil {
		w.WriteHeader(502)
		return
	}
	defer res.Body.Close()
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	io.Copy(w, res.Body)
}

func (p *testProxy) tunnel(w http.ResponseWriter, r *http.Request) {
	target := r.Host
	if p.upstream != "" {
		target = p.upstream
	}
	up, err := net.Dial("tcp", target)
	if err != nil {
		w.WriteHeader(502)
		return
	}
	down, buf, err := w.(http.Hijacker).Hijack()
	if err != nil {
		up.Close()
		return
	}
	io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
	splice(down, buf, up)
}

// splice carries bytes both ways until both sides end.
func splice(down net.Conn, from io.Reader, up net.Conn) {
	var wg sync.WaitGroup
	wg.Go(func() { io.Copy(up, from); up.(*net.TCPConn).CloseWrite() })
	wg.Go(func() { io.Copy(down, up); down.Close() })
	wg.Wait()
	up.Close()
}

func (p *testProxy) start(t *testing.T) string {
	t.Helper()
	s := httptest.NewUnstartedServer(p)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// socksProxy is a small SOCKS5 server. It gives what each client asked for.
type socksProxy struct {
	user, password string
	reply          byte   // instead of connecting
	mute           bool   // takes connections and says nothing
	waits          bool   // for an origin that never answers
	upstream       string // where everything really goes

	mu    sync.Mutex
	asked []string
}

func (p *socksProxy) start(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	over := make(chan struct{})
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				if p.mute {
					<-over
					return
				}
				p.serve(c)
			})
		}
	})
	t.Cleanup(func() { close(over); l.Close(); wg.Wait() })
	return l.Addr().String()
}

func (p *socksProxy) serve(c net.Conn) {
	r := bufio.NewReader(c)
	read := func(n int) []byte {
		b := make([]byte, n)
		io.ReadFull(r, b)
		return b
	}
	methods := string(read(int(read(2)[1])))
	switch {
	case p.user == "" && strings.Contains(methods, "\x00"):
		c.Write([]byte{5, 0})
	case p.user != "" && strings.Contains(methods, "\x02"):
		c.Write([]byte{5, 2})
		user := string(read(int(read(2)[1])))
		if user != p.user || string(read(int(read(1)[0]))) != p.password {
			c.Write([]byte{1, 1})
			return
		}
		c.Write([]byte{1, 0})
	default:
		c.Write([]byte{5, 0xff})
		return
	}
	var host string
	switch head := read(4); head[3] {
	case 1:
		host = net.IP(read(4)).String()
	case 4:
		host = net.IP(read(16)).String()
	case 3:
		host = string(read(int(read(1)[0])))
	}
	port := read(2)
	p.mu.Lock()
	p.asked = append(p.asked, host)
	p.mu.Unlock()
	if p.waits {
		io.Copy(io.Discard, r)
		return
	}
	if p.reply != 0 {
		c.Write([]byte{5, p.reply, 0, 1, 0, 0, 0, 0, 0, 0})
		return
	}
	target := p.upstream
	if target == "" {
		target = (&net.TCPAddr{IP: net.ParseIP(host), Port: int(port[0])<<8 | int(port[1])}).String()
	}
	up, err := net.Dial("tcp", target)
	if err != nil {
		c.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return
	}
	c.Write([]byte{5, 0, 0, 3, 4, 'b', 'o', 'n', 'd', 0, 0}) // a bound address that is a name
	splice(c, r, up)
}

// silent takes connections and answers nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// parrot answers the first bytes of every connection with a text, and closes.
func parrot(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 4096))
			io.WriteString(c, text)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}
