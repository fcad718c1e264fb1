package checks

import (
	"crypto/rand"
	"crypto/sha256"
)

// crockford is the base 32 alphabet without I, L, O and U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// traceCode writes the first 40 bits of b as 8 characters.
func traceCode(b []byte) string {
	var code [8]byte
	bits := uint64(b[0])<<32 | uint64(b[1])<<24 | uint64(b[2])<<16 | uint64(b[3])<<8 | uint64(b[4])
	for i := range code {
		code[i] = crockford[bits>>(35-5*i)&31]
	}
	return string(code[:])
}

// tracer makes the trace codes of a run: one for the run, one for each probe,
// which the probe's name and the run's seed determine.
type tracer struct{ seed []byte }

// newTracer draws a seed where none is given.
func newTracer(seed []byte) tracer {
	if seed == nil {
		seed = make([]byte, 16)
		rand.Read(seed) //nolint:errcheck // crypto/rand.Read never fails
	}
	return tracer{seed: seed}
}

func (t tracer) code(name string) string {
	sum := sha256.Sum256(append(append([]byte{}, t.seed...), name...))
	return traceCode(sum[:])
}
