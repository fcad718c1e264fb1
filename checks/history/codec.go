package history

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// stateForm is the first byte of a stored state: how the rest is written.
const stateForm = 1

var errState = errors.New("a stored state cannot be read")

// The times and counts of a state, in the order in which they are stored.
func (s *State) times() [6]*time.Time {
	return [6]*time.Time{&s.At, &s.Since, &s.LastMeasuredAt, &s.UnmeasuredSince, &s.ContractSince, &s.EmptySince}
}

func (s *State) counts() [7]*int {
	v := &s.Unmeasured
	return [7]*int{&s.Runs, &v.Runs, &v.Respondeu, &v.Indisponivel, &v.Ambiguo, &v.Alheio, &s.EmptyRuns}
}

// appendState writes a state: the form, two findings, the times and counts as
// variable-length numbers, and the letters of the newest runs.
func appendState(b []byte, s State) []byte {
	b = append(b, stateForm, findingCode(s.Finding), findingCode(s.Contract))
	for _, t := range s.times() {
		b = binary.AppendVarint(b, millis(*t))
	}
	for _, n := range s.counts() {
		b = binary.AppendVarint(b, int64(*n))
	}
	return append(b, s.Recent...)
}

func readState(b []byte) (State, error) {
	var s State
	if len(b) < 3 || b[0] != stateForm {
		return s, errState
	}
	s.Finding, s.Contract = findingOf(b[1]), findingOf(b[2])
	b = b[3:]
	for _, t := range s.times() {
		v, n := binary.Varint(b)
		if n <= 0 {
			return State{}, errState
		}
		*t, b = atMillis(v), b[n:]
	}
	for _, c := range s.counts() {
		v, n := binary.Varint(b)
		if n <= 0 {
			return State{}, errState
		}
		*c, b = int(v), b[n:]
	}
	s.Recent = string(b[max(0, len(b)-recentRuns):])
	return s, nil
}

// millis is a time as milliseconds since 1970; 0 stands for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func atMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

var findings = checks.Findings()

// findingCode is a finding's place in checks.Findings, from 1; 0 is none.
func findingCode(f checks.Finding) byte {
	return byte(slices.Index(findings, f) + 1)
}

func findingOf(code byte) checks.Finding {
	if code >= 1 && int(code) <= len(findings) {
		return findings[code-1]
	}
	return ""
}
