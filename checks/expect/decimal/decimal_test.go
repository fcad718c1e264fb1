package decimal

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	long := strings.Repeat("9", 100)
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"1", "1", 0},
		{"1", "2", -1},
		{"-1", "1", -1},
		{"-1", "-2", 1},
		{"0", "-0", 0},
		{"0", "-0.000e99", 0},
		{"0", "0.0001", -1},
		{"5.07730", "5.0773", 0},
		{"5.0773", "5.07731", -1},
		{"1.0", "1", 0},
		{"10", "1e1", 0},
		{"100", "1E+2", 0},
		{"0.001", "1e-3", 0},
		{"0.001", "0.0100", -1},
		{"653247040368672768", "653247040368672769", -1},
		{"653247040368672768", "653247040368672768.0", 0},
		{"9007199254740993", "9007199254740992", 1},
		{"0.1000000000000000000000001", "0.1", 1},
		{"1e1000000000", "1e999999999", 1},
		{"1e1000000000", "10e999999999", 0},
		{"1e-1000000000", "0", 1},
		{"-1e1000000000", "1", -1},
		{"1e" + long, "1e" + long, 0},
		{"10e" + long, "1e1" + strings.Repeat("0", 100), 0},
		{"1e" + long, "1e" + long[1:], 1},
		{"1e-" + long, "1e-" + long[1:], -1},
		{"1e-" + long, "0.1e-" + long[1:] + "9", 1},
		{"0.1e-999999999999999999", "1e-1000000000000000000", 0},
		{"10e-1000000000000000000", "1e-999999999999999999", 0},
		{"1e000000000000000000000000001", "10", 0},
		{"1e99999999999999999999", "1e5", 1},
		{"1e-99999999999999999999", "1e5", -1},
		{"123456789012345678901234567890", "123456789012345678901234567891", -1},
	} {
		if got := Compare(tc.a, tc.b); got != tc.want {
			t.Errorf("Compare(%s, %s) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
		if got := Compare(tc.b, tc.a); got != -tc.want {
			t.Errorf("Compare(%s, %s) = %d, want %d", tc.b, tc.a, got, -tc.want)
		}
		if same := Canonical(tc.a) == Canonical(tc.b); same != (tc.want == 0) {
			t.Errorf("Canonical: %q and %q", Canonical(tc.a), Canonical(tc.b))
		}
	}
}

func TestIsInteger(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0": true, "0.0": true, "1": true, "-12": true, "1.0": true, "1e2": true, "1.5e1": true, "12345678901234567890123": true,
		"1e1000000000": true, "100e-2": true, "1.5": false, "1e-1": false, "0.001": false, "101e-2": false, "1e-99999999999999999999999": false,
	} {
		if got := IsInteger(text); got != want {
			t.Errorf("IsInteger(%s) = %v", text, got)
		}
	}
}

// A 30 MB exponent costs what reading it costs.
func TestHugeExponentIsCheap(t *testing.T) {
	a := "1e1" + strings.Repeat("0", 30<<20)
	b := "10e" + strings.Repeat("9", 30<<20)
	if Compare(a, b) != 0 {
		t.Error("10 × 10^(n-1) is 10^n")
	}
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$`)

func FuzzCompare(f *testing.F) {
	for _, s := range [][2]string{{"1", "1.0"}, {"-0", "0e5"}, {"1e-9", "0.000000001"}, {"99999999999999999999", "1e20"}, {"-1.5", "-1.49"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !jsonNumber.MatchString(a) || !jsonNumber.MatchString(b) {
			t.Skip()
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := Compare(a, b), x.Cmp(y); got != want {
			t.Errorf("Compare(%s, %s) = %d, want %d", a, b, got, want)
		}
		if got := IsInteger(a); got != x.IsInt() {
			t.Errorf("IsInteger(%s) = %v", a, got)
		}
		if same := Canonical(a) == Canonical(b); same != (x.Cmp(y) == 0) {
			t.Errorf("Canonical of %s and %s: %q, %q", a, b, Canonical(a), Canonical(b))
		}
	})
}
