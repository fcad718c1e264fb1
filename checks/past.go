package checks

import "time"

// Change is what a result means beside the earlier ones of its probe.
type Change string

// The changes. What is not measured changes nothing: it says neither that a
// contract broke nor that it holds again.
const (
	Broke       Change = "broke"        // the contract held when it was last asked, and is broken
	StillBroken Change = "still_broken" // it was broken before
	Recovered   Change = "recovered"    // it holds again, or is measured again after longer than its age limit
)

// Past is what earlier runs make of a result. Package history fills it; counts
// and spans include the present run.
type Past struct {
	// Before is the latest earlier finding that says whether the contract
	// holds: ok, drift or respondeu. Null where there is none.
	Before *Finding `json:"before"`
	Change *Change  `json:"change"`
	// BrokenSince is the first of the runs that found the contract broken and
	// none that found it whole; null while it is not broken.
	BrokenSince *time.Time `json:"broken_since"`
	// Runs is how many runs in a row had this finding.
	Runs int `json:"runs"`
	// Flaky says that the findings of the newest runs alternate.
	Flaky bool `json:"flaky"`
	// UnmeasuredMS is the time since unmeasured_since, 0 for what is measured.
	UnmeasuredMS int64 `json:"unmeasured_ms"`
	// Unmeasured counts the runs without a measurement since the last one.
	Unmeasured Unmeasured `json:"unmeasured"`
	// MaxUnmeasuredMS is the probe's own age limit, or that of its known failure;
	// null where it has none.
	MaxUnmeasuredMS *int64 `json:"max_unmeasured_ms"`
}

// Unmeasured counts runs without a measurement, all and by their finding.
type Unmeasured struct {
	Runs         int `json:"runs"`
	Respondeu    int `json:"respondeu"`
	Indisponivel int `json:"indisponivel"`
	Ambiguo      int `json:"ambiguo"`
	Alheio       int `json:"alheio"`
}
