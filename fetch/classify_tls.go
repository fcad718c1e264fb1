package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"reflect"
	"time"
)

// tlsDetail names a failed handshake, or "" when the error is not of TLS.
func tlsDetail(err error, phase Phase) Detail {
	if d := certificateDetail(err); d != "" {
		return d
	}
	var record tls.RecordHeaderError
	if errors.As(err, &record) {
		return TLSNotTLS
	}
	if code, ok := alertOf(err); ok {
		if transientAlert[code] {
			return TLSAlert
		}
		return TLSPolicy
	}
	if phase == PhaseTLS && !isIO(err) {
		// crypto/tls has no types for what the two sides do not agree on
		// (versions, ciphers, curves), but it is neither the certificate nor
		// the connection.
		return TLSPolicy
	}
	return ""
}

// certificateDetail names why a certificate does not verify.
func certificateDetail(err error) Detail {
	var (
		invalid  x509.CertificateInvalidError
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		verify   *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &invalid):
		if invalid.Reason != x509.Expired {
			return TLSInvalidCert
		}
		// One reason stands for both ends of the validity.
		if invalid.Cert != nil && time.Now().Before(invalid.Cert.NotBefore) {
			return TLSNotYetValid
		}
		return TLSExpired
	case errors.As(err, &unknown):
		return TLSUnknownAuthority
	case errors.As(err, &hostname):
		return TLSWrongHost
	case errors.As(err, &verify):
		return TLSInvalidCert
	}
	return ""
}

// transientAlert are the alerts (RFC 8446 §6) that say nothing about what the
// two sides can agree on: a repetition may help.
var transientAlert = map[uint8]bool{
	0:  true, // close_notify
	10: true, // unexpected_message
	20: true, // bad_record_mac
	22: true, // record_overflow
	50: true, // decode_error
	80: true, // internal_error
	90: true, // user_canceled
}

// alertOf gives the code of a TLS alert along the chain. crypto/tls exports the
// alert type only for QUIC (tls.AlertError); on TCP it is a net.OpError around
// an unexported uint8 type, which is recognised by its package.
func alertOf(err error) (uint8, bool) {
	var quic tls.AlertError
	if errors.As(err, &quic) {
		return uint8(quic), true
	}
	var op *net.OpError
	for e := err; errors.As(e, &op); e = op.Err {
		if op.Err == nil {
			break
		}
		if v := reflect.ValueOf(op.Err); v.Kind() == reflect.Uint8 && v.Type().PkgPath() == "crypto/tls" {
			return uint8(v.Uint()), true
		}
	}
	return 0, false
}
