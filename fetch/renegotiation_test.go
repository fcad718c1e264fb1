package fetch

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	encoding "encoding/hex"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// recording keeps what a connection writes, to find the server's random in it.
type recording struct {
	net.Conn
	sent bytes.Buffer
}

func (r *recording) Write(p []byte) (int, error) {
	r.sent.Write(p)
	return r.Conn.Write(p)
}

// prf is the pseudorandom function of TLS 1.2 (RFC 5246 §5) with SHA-256.
func prf(secret []byte, label string, seed []byte, n int) []byte {
	sum := func(parts ...[]byte) []byte {
		h := hmac.New(sha256.New, secret)
		for _, p := range parts {
			h.Write(p)
		}
		return h.Sum(nil)
	}
	seed = append([]byte(label), seed...)
	var out []byte
	for a := sum(seed); len(out) < n; a = sum(a) {
		out = append(out, sum(a, seed)...)
	}
	return out[:n]
}

// helloRequest is the record in which a TLS 1.2 server asks to renegotiate (RFC
// 5246 §7.4.1.1), sealed with AES-128-GCM as the second one that the server
// encrypts. crypto/tls has no way to send it.
func helloRequest(t *testing.T, keyLog string, sent []byte) []byte {
	t.Helper()
	fields := strings.Fields(keyLog) // CLIENT_RANDOM random master
	client, err1 := encoding.DecodeString(fields[1])
	master, err2 := encoding.DecodeString(fields[2])
	if err1 != nil || err2 != nil || len(sent) < 43 {
		t.Errorf("no keys in %q", keyLog)
		return nil
	}
	server := sent[5+4+2 : 5+4+2+32] // record and handshake headers, version
	keys := prf(master, "key expansion", append(append([]byte{}, server...), client...), 2*16+2*4)
	block, err := aes.NewCipher(keys[16:32])
	if err != nil {
		t.Error(err)
		return nil
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Error(err)
		return nil
	}
	text, number := []byte{0, 0, 0, 0}, binary.BigEndian.AppendUint64(nil, 1)
	extra := append(append([]byte{}, number...), 22, 3, 3, 0, byte(len(text)))
	sealed := gcm.Seal(append([]byte{}, number...), append(append([]byte{}, keys[36:40]...), number...), text, extra)
	return append([]byte{22, 3, 3, 0, byte(len(sealed))}, sealed...)
}

// TestG4Renegotiation: a server that wants to renegotiate, as old ones with
// client certificates do, meets our own policy: it is not its certificate, and
// no repetition helps.
func TestG4Renegotiation(t *testing.T) {
	ca := newAuthority(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(10 * time.Second))
		var keys strings.Builder
		cfg := ca.named(t, "127.0.0.1")
		cfg.MaxVersion, cfg.KeyLogWriter, cfg.SessionTicketsDisabled = tls.VersionTLS12, &keys, true
		cfg.CipherSuites = []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}
		wire := &recording{Conn: c}
		secure := tls.Server(wire, cfg)
		if _, err := secure.Read(make([]byte, 4096)); err != nil {
			t.Error(err)
			return
		}
		c.Write(helloRequest(t, keys.String(), wire.sent.Bytes()))
		io.Copy(io.Discard, c) // until the client has gone
	}()
	t.Cleanup(func() { l.Close(); <-done })
	_, err = newClient(t, Config{Policy: exact(), Way: Way{Roots: ca.pool}}).Do(t.Context(), &Request{URL: "https://" + l.Addr().String()})
	e := failed(t, err)
	if e.Kind != Network || e.Detail != TLSPolicy || e.Retryable || e.Outcome != OutcomeFatal || e.Attempts() != 1 {
		t.Errorf("got %s/%s %s after %d attempts: %v", e.Kind, e.Detail, e.Outcome, e.Attempts(), e.Err)
	}
	if !strings.Contains(e.Err.Error(), "renegotiation") {
		t.Errorf("not what was to be met: %v", e.Err)
	}
}
