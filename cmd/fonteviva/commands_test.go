package main

import "testing"

// TestEveryCommandIsFoundByItsName holds the names of the table to those of the
// commands: a start makes only the one that is named.
func TestEveryCommandIsFoundByItsName(t *testing.T) {
	a := &app{}
	all := a.root(nil).Commands()
	if len(all) < 18 {
		t.Fatalf("%d commands", len(all))
	}
	for _, c := range all {
		one := a.root([]string{c.Name()}).Commands()
		if len(one) != 1 || one[0].Name() != c.Name() {
			t.Errorf("%s: a start makes %d commands", c.Name(), len(one))
		}
	}
}

func TestChangesAreCounted(t *testing.T) {
	for _, c := range []struct {
		changes, breaking int
		want              string
	}{
		{1, 0, "1 change, which breaks nothing"}, {1, 1, "1 change, which is breaking"},
		{2, 0, "2 changes, 0 of them breaking"}, {3, 1, "3 changes, 1 of them breaking"},
	} {
		if got := howMany(c.changes, c.breaking); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
