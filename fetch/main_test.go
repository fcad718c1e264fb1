package fetch

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(bombURL); url != "" {
		os.Exit(swallowBomb(url))
	}
	goleak.VerifyTestMain(m)
}

func gzipped(b []byte) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	z.Write(b)
	z.Close()
	return buf.Bytes()
}
