package expect

// Severity of a mismatch.
type Severity string

// A mismatch of severity Fail is drift; one of severity Warn leaves the probe
// ok, with a warning.
const (
	Fail Severity = "fail"
	Warn Severity = "warn"
)

// Mismatch is one expectation that does not hold. Want and Got are short texts
// for a person; origin text in Got is bounded, but not escaped.
type Mismatch struct {
	Code     string   `json:"code"` // "json.matches", "status", "headers.exists", …
	Path     *string  `json:"path"` // where in the answer: a normalized path (RFC 9535 §2.7), a header's name; null elsewhere
	Severity Severity `json:"severity"`
	Want     string   `json:"want"`
	Got      string   `json:"got"`
}
