package decimal

import "testing"

func TestIsMultiple(t *testing.T) {
	for _, tc := range []struct {
		x, m string
		want bool
	}{
		{"10", "2", true}, {"7", "2", false}, {"0", "3", true}, {"-9", "3", true}, {"0.0", "0.1", true},
		{"4.5", "1.5", true}, {"35", "1.5", false}, {"0.0075", "0.0001", true}, {"0.00751", "0.0001", false},
		{"19.99", "0.01", true}, {"1e308", "0.123456789", false}, {"1e400", "1e-400", true}, {"12391239123", "1e-8", true},
		{"3.0", "1", true}, {"1e-3", "1", false}, {"100", "1e2", true}, {"150", "1e2", false}, {"1e2", "40", false}, {"2e2", "40", true},
		{"12345678901234567890123456789", "3", true}, {"12345678901234567890123456788", "3", false},
		{"1e99999999999999999999", "2", false}, {"1e1000000000", "7", false}, {"1e1000000000", "8", true},
	} {
		if got := IsMultiple(tc.x, tc.m); got != tc.want {
			t.Errorf("%s of %s: %v", tc.x, tc.m, got)
		}
	}
}
