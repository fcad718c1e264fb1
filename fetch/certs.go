package fetch

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

// What a file of certificates or keys can have wrong; all of them are errors of
// the configuration, found before anything is asked.
var (
	ErrEmptyFile          = errors.New("the file is empty")
	ErrNoCertificate      = errors.New("the file holds no certificate in PEM form")
	ErrNoKey              = errors.New("the file holds no private key in PEM form")
	ErrEncryptedKey       = errors.New("the private key is encrypted; only an open one can be used")
	ErrWrongKey           = errors.New("the private key is not the certificate's")
	ErrExpiredCertificate = errors.New("the certificate has expired")
	ErrFutureCertificate  = errors.New("the certificate is not valid yet")
)

// LoadCA reads the certificates of authorities from PEM text (RFC 7468 §5).
// What else stands in the text is passed over; a certificate that cannot be
// parsed is an error.
func LoadCA(text []byte) (*x509.CertPool, error) {
	certs, err := certificates(text)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	for _, c := range certs {
		pool.AddCert(c)
	}
	return pool, nil
}

// certificates gives every certificate of a PEM text, at least one.
func certificates(text []byte) ([]*x509.Certificate, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, ErrEmptyFile
	}
	var list []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d of the file: %w", len(list)+1, err)
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, ErrNoCertificate
	}
	return list, nil
}

// LoadClientCert reads a client certificate, with the chain behind it if there
// is one, and its private key from PEM text. The key has to be open, and the
// certificate has to be valid now.
func LoadClientCert(cert, key []byte) (tls.Certificate, error) {
	return loadClientCert(cert, key, time.Now())
}

func loadClientCert(cert, key []byte, now time.Time) (tls.Certificate, error) {
	chain, err := certificates(cert)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("client certificate: %w", err)
	}
	if err := checkKey(key); err != nil {
		return tls.Certificate{}, fmt.Errorf("client key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("client key: %w", keyFault(key, err))
	}
	leaf := chain[0]
	pair.Leaf = leaf
	const day = "2006-01-02"
	switch {
	case now.After(leaf.NotAfter):
		return tls.Certificate{}, fmt.Errorf("client certificate: %w (on %s)", ErrExpiredCertificate, leaf.NotAfter.UTC().Format(day))
	case now.Before(leaf.NotBefore):
		return tls.Certificate{}, fmt.Errorf("client certificate: %w (from %s on)", ErrFutureCertificate, leaf.NotBefore.UTC().Format(day))
	}
	return pair, nil
}

// checkKey asks for an open private key in any of its PEM forms (RFC 7468 §10,
// RFC 5915 §4, and the older RSA one).
func checkKey(text []byte) error {
	block := keyBlock(text)
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return ErrEmptyFile
	case block == nil:
		return ErrNoKey
	case block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "":
		return ErrEncryptedKey
	}
	return nil
}

func keyBlock(text []byte) *pem.Block {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if bytes.HasSuffix([]byte(block.Type), []byte("PRIVATE KEY")) {
			return block
		}
	}
	return nil
}

// keyFault tells a key that belongs to another certificate from one that
// cannot be read: crypto/tls has no types for either.
func keyFault(text []byte, err error) error {
	if readableKey(keyBlock(text).Bytes) {
		return ErrWrongKey
	}
	return err
}

func readableKey(der []byte) bool {
	if _, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		return true
	}
	if _, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return true
	}
	_, err := x509.ParseECPrivateKey(der)
	return err == nil
}
