package history

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/s2"

	"github.com/fonteviva/fonteviva/checks"
)

func TestARunThatWasPackedAhead(t *testing.T) {
	s := opened(t, t.TempDir(), Options{})
	run := runOf(start, 3, allOK)
	run.Packed = Pack(run.Results)
	saved(t, s, NamedProject("p"), run)
	got, err := s.FindTrace(t.Context(), run.Trace)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(run, got, cmpopts.IgnoreFields(Run{}, "Packed")); d != "" {
		t.Error(d)
	}
}

// TestBlocksAreBounded holds that few large results make many blocks, and that
// no block takes more memory than it may.
func TestBlocksAreBounded(t *testing.T) {
	run := runOf(start, 5, allOK)
	for i := range run.Results {
		run.Results[i].URL = strings.Repeat("x", 400<<10)
	}
	blocks, err := run.blocks()
	if err != nil || len(blocks) != 2 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	var all []checks.Result
	for _, b := range blocks {
		results, err := unpack(b.results)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, results...)
	}
	if !cmp.Equal(all, run.Results) {
		t.Error("the results have changed")
	}
	run.Results[0].URL = strings.Repeat("x", maxBlock)
	if _, err := run.blocks(); err == nil || err.Error() != "a result is too large to be stored" {
		t.Errorf("error %v", err)
	}
	huge := append([]byte{blockForm}, s2.Encode(nil, make([]byte, maxBlock+1))...)
	for _, packed := range [][]byte{huge, {blockForm}, {blockForm, 5, 1, 2}, {}, {0xff, 0xff}, append([]byte{blockForm}, s2.Encode(nil, []byte(`{"name":3}`))...)} {
		if results, err := unpack(packed); err == nil {
			t.Errorf("%d bytes became %v", len(packed), results)
		}
	}
}
