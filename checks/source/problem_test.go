package source

import (
	"errors"
	"testing"
)

func TestCollectorSaysAProblemOnce(t *testing.T) {
	var c Collector
	at := Position{File: "f.yaml", Line: 3, Col: 5}
	c.Add(at, "", "x is not declared")
	c.Add(at, "", "y is not declared")
	c.Add(at, "", "x is not declared")
	c.Add(Position{File: "f.yaml", Line: 4, Col: 5}, "", "x is not declared")
	if ps, ok := errors.AsType[Problems](c.Err()); !ok || len(ps) != 3 {
		t.Errorf("got %v, want three problems", c.Err())
	}
}
