package fetch

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"
)

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func keyPEM(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pemOf("PRIVATE KEY", der)
}

func TestLoadCA(t *testing.T) {
	ca := newAuthority(t)
	cert := pemOf("CERTIFICATE", ca.cert.Raw)
	key := keyPEM(t, ca.key)
	broken := pemOf("CERTIFICATE", ca.cert.Raw[:20])
	for _, tt := range []struct {
		name string
		text []byte
		want error // nil: a pool, unless any
		any  bool
	}{
		{"one", cert, nil, false},
		{"two, with text around", []byte("# roots\n" + string(cert) + "\nnext\n" + string(cert)), nil, false},
		{"with a key among them", append(key, cert...), nil, false},
		{"nothing", nil, ErrEmptyFile, false},
		{"white space", []byte(" \n"), ErrEmptyFile, false},
		{"only a key", key, ErrNoCertificate, false},
		{"no PEM", []byte("hello"), ErrNoCertificate, false},
		{"DER", ca.cert.Raw, ErrNoCertificate, false},
		{"broken", append(cert, broken...), nil, true},
	} {
		pool, err := LoadCA(tt.text)
		switch {
		case tt.any || tt.want != nil:
			if err == nil || pool != nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
		case err != nil || !pool.Equal(ca.pool):
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := LoadCA(append(cert, broken...)); err == nil || !strings.Contains(err.Error(), "certificate 2") {
		t.Errorf("%v does not say which", err)
	}
}

func TestLoadClientCert(t *testing.T) {
	ca := newAuthority(t)
	good := ca.issue(t, -time.Minute, time.Hour, "127.0.0.1")
	cert := pemOf("CERTIFICATE", good.Certificate[0])
	key := keyPEM(t, good.PrivateKey)
	sec1, err := x509.MarshalECPrivateKey(good.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	old := ca.issue(t, -time.Hour, -time.Minute, "127.0.0.1")
	future := ca.issue(t, time.Minute, time.Hour, "127.0.0.1")
	legacy := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,00"}, Bytes: sec1})
	for _, tt := range []struct {
		name      string
		cert, key []byte
		want      error
		says      string
	}{
		{"good", cert, key, nil, ""},
		{"with its chain", append(append([]byte{}, cert...), pemOf("CERTIFICATE", ca.cert.Raw)...), key, nil, ""},
		{"SEC 1", cert, pemOf("EC PRIVATE KEY", sec1), nil, ""},
		{"one file for both", append(append([]byte{}, key...), cert...), append(append([]byte{}, cert...), key...), nil, ""},
		{"empty certificate", nil, key, ErrEmptyFile, "client certificate"},
		{"empty key", cert, []byte("\n"), ErrEmptyFile, "client key"},
		{"swapped", key, cert, ErrNoCertificate, "client certificate"},
		{"no key", cert, cert, ErrNoKey, "client key"},
		{"encrypted", cert, pemOf("ENCRYPTED PRIVATE KEY", sec1), ErrEncryptedKey, ""},
		{"encrypted, the old way", cert, legacy, ErrEncryptedKey, ""},
		{"another one's key", cert, keyPEM(t, newKey(t)), ErrWrongKey, ""},
		{"expired", pemOf("CERTIFICATE", old.Certificate[0]), keyPEM(t, old.PrivateKey), ErrExpiredCertificate, time.Now().Add(-time.Minute).UTC().Format("2006-01-02")},
		{"not yet", pemOf("CERTIFICATE", future.Certificate[0]), keyPEM(t, future.PrivateKey), ErrFutureCertificate, "from "},
	} {
		got, err := LoadClientCert(tt.cert, tt.key)
		switch {
		case tt.want == nil:
			if err != nil || got.Leaf == nil || got.PrivateKey == nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		case !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says):
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := LoadClientCert(cert, pemOf("PRIVATE KEY", []byte("no key"))); err == nil || errors.Is(err, ErrWrongKey) {
		t.Errorf("an unreadable key: %v", err)
	}
}

// clientOf issues a certificate for a client.
func (a *authority) clientOf(t *testing.T) *tls.Certificate {
	t.Helper()
	key := newKey(t)
	tpl := &x509.Certificate{
		SerialNumber: big.NewInt(4), NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tpl, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := LoadClientCert(pemOf("CERTIFICATE", der), keyPEM(t, key))
	if err != nil {
		t.Fatal(err)
	}
	return &cert
}
