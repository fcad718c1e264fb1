package expect

import (
	"net/http"
	"sync"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect/bodies"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// Observation is one answer, as the expectations see it. It is used by
// pointer and is not changed once an evaluation has begun; any number of
// goroutines may evaluate it.
type Observation struct {
	Status int
	Header http.Header
	Body   []byte
	// JSON says that Body is one valid JSON value. Whoever sets it has
	// validated the whole body: the expectations do not do so again.
	JSON     bool
	Duration time.Duration // of the successful attempt
	Request  Request
	// Captures are the values that other probes have captured, by name.
	Captures map[string]any
	// Now is when the answer is judged; ages are measured from it.
	Now time.Time
	// TLS is what the connection says of itself; nil without TLS.
	TLS *TLS
	// MCP is the reply of an MCP server; nil for any other answer. List names
	// the key of Body whose elements the probe asked for; "" for none.
	MCP  *MCP
	List string
	// Redact masks secrets in what a mismatch shows, before it is shortened;
	// nil masks nothing.
	Redact func(string) string

	once    sync.Once
	doc     *jsonpath.Document
	xmlOnce sync.Once
	xmlDoc  *bodies.XML
	xmlErr  error
}
