package checks

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// Out is the declared way out to an origin.
type Out struct {
	Way   fetch.Way   // all of it but the proxy
	Proxy source.Text // as it is declared, its credentials references; "" is the environment's, "none" is none

	CAFile, CertFile, KeyFile string // where Way's certificates were read from; "" for none
}

// tlsDraft is tls: while it is read: a certificate needs its key.
type tlsDraft struct {
	o             *Origin
	cert, key, at source.Node
}

var tlsKeys = source.NewObject("tls",
	source.Field[tlsDraft]{Name: "ca_file", Form: source.SomeText, Doc: "the authorities that servers are verified by, PEM", Decode: func(d *tlsDraft, n source.Node) { decodeCA(d.o, n) }},
	source.Field[tlsDraft]{Name: "client_cert", Form: source.SomeText, Doc: "our certificate, PEM", Decode: func(d *tlsDraft, n source.Node) { d.cert = n }},
	source.Field[tlsDraft]{Name: "client_key", Form: source.SomeText, Doc: "its private key, PEM", Decode: func(d *tlsDraft, n source.Node) { d.key = n }},
	source.Field[tlsDraft]{Name: "min_version", Form: source.OneOf("1.2", "1.3"), Doc: "1.2 or 1.3", Decode: func(d *tlsDraft, n source.Node) {
		if v, ok := n.Enum("1.2", "1.3"); ok {
			d.o.Out.Way.MinTLS = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}[v]
		}
	}},
	source.Field[tlsDraft]{Name: "verify", Elsewhere: "there is no switch for it; name the authority with ca_file"},
	source.Field[tlsDraft]{Name: "insecure", Elsewhere: "certificates are always verified; name the authority with ca_file"},
)

func decodeTLS(o *Origin, n source.Node) {
	d := &tlsDraft{o: o, at: n}
	if !tlsKeys.Decode(n, d) {
		return
	}
	switch {
	case d.cert.IsZero() && d.key.IsZero():
	case d.cert.IsZero() || d.key.IsZero():
		n.Problem("the key proves that the certificate is ours", "client_cert and client_key belong together")
	default:
		d.clientCert()
	}
}

func decodeCA(o *Origin, n source.Node) {
	path, text, ok := o.readFile(n, "ca_file")
	if !ok {
		return
	}
	roots, err := fetch.LoadCA(text)
	if err != nil {
		n.Problem("a file of certificates in PEM form", "ca_file: %v", err)
		return
	}
	o.Out.Way.Roots, o.Out.CAFile = roots, path
}

func (d *tlsDraft) clientCert() {
	certPath, cert, okCert := d.o.readFile(d.cert, "client_cert")
	keyPath, key, okKey := d.o.readFile(d.key, "client_key")
	if !okCert || !okKey {
		return
	}
	// A key that everyone on the machine can read is nobody's.
	if info, err := os.Stat(keyPath); err == nil && info.Mode().Perm()&0o007 != 0 {
		d.key.Problem("chmod 600 it", "client_key: every user of this machine can read the file")
		return
	}
	pair, err := fetch.LoadClientCert(cert, key)
	if err != nil {
		d.cert.Problem("", "%v", err)
		return
	}
	d.o.Out.Way.ClientCert, d.o.Out.CertFile, d.o.Out.KeyFile = &pair, certPath, keyPath
}

const maxPEM = 4 << 20

// readFile reads a file that is named relative to the declaration. Unlike the
// body of a request it may stand anywhere: it is sent to nobody.
func (o *Origin) readFile(n source.Node, key string) (path string, text []byte, ok bool) {
	name, ok := n.NonEmpty()
	if !ok || !hasNoRef(n) {
		return "", nil, false
	}
	if o.file == nil || o.file.dir == "" {
		n.Problem("", "%s: a declaration that is no file cannot name one", key)
		return "", nil, false
	}
	path = name
	if !filepath.IsAbs(name) {
		path = filepath.Join(o.file.dir, name)
	}
	text, err := readPlain(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		n.Problem("the path is relative to the declaration, "+o.file.name, "%s: there is no file %s", key, quoted(name))
	case err != nil:
		n.Problem("", "%s: file %s cannot be read: %v", key, quoted(name), cause(err))
	}
	o.file.reads = append(o.file.reads, path)
	return path, text, err == nil
}

// readPlain reads a plain file of a bounded size. It is looked at before it is
// opened: opening a pipe would wait for a writer.
func readPlain(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > maxPEM:
		return nil, errors.New("it is larger than 4 MiB")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPEM))
}

// decodeProxy reads a proxy's address, or none. What stands before its @ comes
// from the environment; no problem quotes it or shows its line.
func decodeProxy(o *Origin, n source.Node) {
	n = n.Secretly()
	t, ok := text(n)
	if !ok {
		return
	}
	credentials, _ := splitProxy(t)
	if !credentials.IsZero() {
		user, password, _ := strings.Cut(credentials.Raw(), ":")
		_, okUser := parseCredential(user, n.Pos())
		_, okPassword := parseCredential(password, n.Pos())
		if !okUser || !okPassword && password != "" {
			literalCredential(n)
			return
		}
	}
	o.Out.Proxy = t
	if len(t.Refs()) > 0 {
		return
	}
	if err := (fetch.Way{Proxy: t.Raw()}).Check(); err != nil {
		n.Problem("such as http://proxy.example:3128, socks5://proxy.example:1080, or none", "proxy: %v", err)
	}
}

// splitProxy takes a proxy's credentials apart from its address: user:password
// of scheme://user:password@host.
func splitProxy(t source.Text) (credentials, rest source.Text) {
	raw := t.Raw()
	scheme, after, found := strings.Cut(raw, "://")
	at := strings.LastIndexByte(after, '@')
	if !found || at < 0 {
		return source.Text{}, t
	}
	credentials, _ = source.ParseText(after[:at], t.Pos())
	rest, _ = source.ParseText(scheme+"://"+after[at+1:], t.Pos())
	return credentials, rest
}

// proxy writes a proxy's address out; the values of its credentials are
// escaped (RFC 3986 §3.2.1).
func (x expander) proxy(t source.Text) string {
	credentials, rest := splitProxy(t)
	address := x.expand(rest)
	if credentials.IsZero() {
		return address
	}
	scheme, host, _ := strings.Cut(address, "://")
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	return scheme + "://" + x.expandWith(credentials, escape) + "@" + host
}

func decodeHTTP2(o *Origin, n source.Node) {
	if v, ok := n.Bool(); ok {
		o.Out.Way.HTTP2 = &v
	}
}

func decodePreferIP(o *Origin, n source.Node) {
	if v, ok := n.Enum("4", "6"); ok {
		o.Out.Way.IP = int(v[0] - '0')
	}
}

// decodeDNS reads the address of a name server; 53 where it has no port.
func decodeDNS(o *Origin, n source.Node) {
	s, ok := n.NonEmpty()
	if !ok || !hasNoRef(n) {
		return
	}
	if net.ParseIP(s) != nil {
		s = net.JoinHostPort(s, "53")
	}
	if err := (fetch.Way{DNS: s}).Check(); err != nil {
		n.Problem("such as 9.9.9.9 or 127.0.0.1:5353", "dns: %v", err)
		return
	}
	o.Out.Way.DNS = s
}
