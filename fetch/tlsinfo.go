package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"time"
)

// TLSInfo is what the handshake of an answer's connection agreed on. Its texts
// come from the origin.
type TLSInfo struct {
	Version   uint16    // tls.VersionTLS12, tls.VersionTLS13
	Cipher    uint16    // tls.CipherSuiteName names it
	Protocol  string    // what ALPN agreed on (RFC 7301), "" for nothing
	Subject   string    // of the server's own certificate, in the form of RFC 2253
	Issuer    string    // likewise
	NotBefore time.Time // of the server's own certificate, UTC
	NotAfter  time.Time
}

// tlsInfo reads a connection's state; nil without TLS.
func tlsInfo(s *tls.ConnectionState) *TLSInfo {
	if s == nil {
		return nil
	}
	info := &TLSInfo{Version: s.Version, Cipher: s.CipherSuite, Protocol: s.NegotiatedProtocol}
	if len(s.PeerCertificates) > 0 {
		leaf := s.PeerCertificates[0]
		info.Subject, info.Issuer = leaf.Subject.String(), leaf.Issuer.String()
		info.NotBefore, info.NotAfter = leaf.NotBefore.UTC(), leaf.NotAfter.UTC()
	}
	return info
}

// dateCertificate keeps when the certificate that failed begins or ended, where
// that is why it failed.
func (e *Error) dateCertificate() {
	var invalid x509.CertificateInvalidError
	if e.Detail != TLSExpired && e.Detail != TLSNotYetValid || !errors.As(e.Err, &invalid) || invalid.Cert == nil {
		return
	}
	from, to := invalid.Cert.NotBefore.UTC(), invalid.Cert.NotAfter.UTC()
	if e.Detail == TLSExpired {
		e.CertificateExpiry = &to
		return
	}
	e.CertificateStart = &from
}
