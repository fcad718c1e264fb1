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
