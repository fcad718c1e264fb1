package checks_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// sound holds whatever the case: an outage never looks like drift, nothing
// unmeasured looks like a pass, nothing that happened is left out.
func sound(t *testing.T, r *checks.Result) {
	t.Helper()
	measured := r.Finding == checks.OK || r.Finding == checks.Drift
	if r.Measured != measured || (r.Verdict == nil) != measured || (r.Motivo == nil) != measured {
		t.Errorf("%s: measured %v, verdict %q, motivo %q", r.Finding, r.Measured, of(r.Verdict), of(r.Motivo))
	}
	if r.Verdict != nil && *r.Verdict != string(r.Finding) {
		t.Errorf("verdict %s of a finding %s", *r.Verdict, r.Finding)
	}
	failing := slices.ContainsFunc(r.Mismatches, func(m expect.Mismatch) bool { return m.Severity == expect.Fail })
	if failing != (r.Finding == checks.Drift) || !measured && len(r.Mismatches) > 0 {
		t.Errorf("%s with mismatches %+v", r.Finding, r.Mismatches)
	}
	if !r.Asked || r.Retrieval == nil {
		t.Fatalf("asked %v, retrieval %v", r.Asked, r.Retrieval)
	}
	anomalies, attempts := []fetch.Kind{}, 0
	for _, trip := range r.Trips {
		attempts += len(trip.Attempts)
		for _, a := range trip.Attempts {
			if a.Kind != nil && a.Kind.IsAnomaly() {
				anomalies = append(anomalies, *a.Kind)
			}
		}
		soundTrip(t, &trip)
	}
	if r.Retrieval.Requests != len(r.Trips) || r.Retrieval.Attempts != attempts || !slices.Equal(r.Retrieval.Anomalies, anomalies) {
		t.Errorf("retrieval %+v; there were %d trips, %d attempts, %v", *r.Retrieval, len(r.Trips), attempts, anomalies)
	}
	for name, secret := range secrets {
		if all := text(r); strings.Contains(all, secret) {
			t.Errorf("the value of %s is in the result: %s", name, all)
		}
	}
}

// said is what a trip says whose last attempt ended so; nil is an answer.
var said = map[fetch.Kind][]checks.Finding{
	"":            {checks.OK, checks.Drift},
	fetch.Timeout: {checks.Indisponivel}, fetch.Network: {checks.Indisponivel},
	fetch.RateLimited: {checks.Indisponivel}, fetch.HTTP5xx: {checks.Indisponivel},
	fetch.HTTP4xx: {checks.Respondeu}, fetch.NotFound: {checks.Respondeu}, fetch.Redirect: {checks.Respondeu},
	fetch.MalformedBody: {checks.Ambiguo}, fetch.Aborted: {checks.Alheio},
}

func soundTrip(t *testing.T, trip *checks.Trip) {
	t.Helper()
	last := &trip.Attempts[len(trip.Attempts)-1]
	if !slices.Contains(said[fetch.Kind(of(last.Kind))], trip.Finding) {
		t.Errorf("a trip that ended with %q said %s", of(last.Kind), trip.Finding)
	}
	for i := range trip.Attempts[:len(trip.Attempts)-1] {
		if trip.Attempts[i].Kind == nil {
			t.Errorf("attempt %d delivered, and another one followed", i+1)
		}
	}
}

func value[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}

func of[T ~string](v *T) string { return string(value(v)) }

func tripsOf(r *checks.Result) string {
	var list []string
	for _, trip := range r.Trips {
		list = append(list, fmt.Sprintf("%s:%d", trip.Finding, len(trip.Attempts)))
	}
	return strings.Join(list, " ")
}

func flagsOf(r *checks.Result) string {
	var list []string
	if r.Persistent {
		list = append(list, "persistent")
	}
	if r.Unstable {
		list = append(list, "unstable")
	}
	return strings.Join(list, " ")
}

func codesOf(r *checks.Result) string {
	var list []string
	for _, m := range r.Mismatches {
		list = append(list, m.Code)
	}
	return strings.Join(list, " ")
}

func text(r *checks.Result) string {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
