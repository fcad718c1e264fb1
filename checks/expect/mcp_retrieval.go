package expect

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// retrieval is null, or says how often the source was asked and what went
// wrong meanwhile.
func (b *block) retrieval() {
	raw, there := b.all["retrieval"]
	if !there || b.isNull("retrieval") {
		return
	}
	list, ok := members(raw)
	var keys []string
	for _, m := range list {
		keys = append(keys, m.key)
	}
	var r struct {
		Requests, Attempts *int
		Anomalies          []string
	}
	want := []string{"requests", "attempts", "anomalies"}
	if !ok || !slices.Equal(keys, want) || json.Unmarshal(raw, &r) != nil || r.Requests == nil || r.Attempts == nil || r.Anomalies == nil ||
		*r.Requests < 0 || *r.Attempts < 0 {
		b.say("retrieval", "{requests, attempts, anomalies}, or null", showRaw(raw))
		return
	}
	for i, a := range r.Anomalies {
		if !slices.Contains(anomalies, a) {
			b.say("retrieval.anomalies["+strconv.Itoa(i)+"]", "one of "+strings.Join(anomalies, ", "), strconv.Quote(a))
		}
	}
}

// Wavering reports a provenance block that tells of trouble on the way: the
// answer is whole, and its source is not well. It looks only where the probe
// holds the block to its contract.
func (s *Spec) Wavering(o *Observation) bool {
	if o == nil || o.MCP == nil || !slices.ContainsFunc(s.list, func(e expectation) bool { _, is := e.(*provenance); return is }) {
		return false
	}
	var result struct {
		Content struct {
			Provenance struct {
				Retrieval struct{ Anomalies []string }
			}
		} `json:"structuredContent"`
	}
	_ = json.Unmarshal(o.MCP.Result, &result)
	return len(result.Content.Provenance.Retrieval.Anomalies) > 0
}
