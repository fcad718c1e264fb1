package checks

import (
	"testing"
	"time"
)

// Two probes in each layer that both need both of the layer before stand for
// 2⁶⁴ ways through the needs.
func TestDueLooksAtEveryNeedOnce(t *testing.T) {
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	first := []*Probe{{Name: "a"}, {Name: "b"}}
	layer := first
	for range 64 {
		layer = []*Probe{{Needs: layer}, {Needs: layer}}
	}
	visits := map[*Probe]visit{first[1]: {until: now.Add(time.Minute)}}
	again, pause := due([]*Probe{layer[0]}, visits, now, time.Second)
	if len(again) != 1 || pause != time.Minute {
		t.Errorf("%d probes after %s, want the one after what it needs in a minute", len(again), pause)
	}
	visits[first[0]] = visit{once: true}
	if again, _ = due([]*Probe{layer[0]}, visits, now, time.Second); len(again) != 0 {
		t.Errorf("asked again: %d probes that need what may not be sent twice, want none", len(again))
	}
}
