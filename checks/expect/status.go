package expect

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// statusExpectation holds the expected statuses as ranges.
type statusExpectation struct {
	ranges []statusRange
	want   string
}

type statusRange struct{ low, high int }

var (
	statusCode  = source.Pattern(`^[1-9][0-9]{2}$`)
	statusClass = source.Pattern(`^[1-9][xX]{2}$`)
)

func decodeStatus(s *Spec, n source.Node) {
	e := &statusExpectation{}
	items := n.ItemsOrOne()
	if len(items) == 0 {
		n.Problem("name at least one, such as 200 or 2xx", "the list of statuses is empty")
	}
	var words []string
	for _, item := range items {
		word, ok := item.String()
		switch {
		case !ok:
		case statusCode().MatchString(word):
			code, _ := strconv.Atoi(word)
			e.ranges = append(e.ranges, statusRange{code, code})
		case statusClass().MatchString(word):
			low := int(word[0]-'0') * 100
			e.ranges = append(e.ranges, statusRange{low, low + 99})
		default:
			item.Problem("write 200, 2xx, or a list such as [200, 404]", "%s is not a status", strconv.Quote(word))
		}
		words = append(words, strings.ToLower(word))
	}
	e.want = strings.Join(words, ", ")
	if len(words) > 1 {
		e.want = "one of " + e.want
	}
	s.status = e
	s.add(e)
}

func (e *statusExpectation) holds(status int) bool {
	for _, r := range e.ranges {
		if status >= r.low && status <= r.high {
			return true
		}
	}
	return false
}

// onlySuccess reports whether no status outside of 2xx is expected.
func (e *statusExpectation) onlySuccess() bool {
	return !slices.ContainsFunc(e.ranges, func(r statusRange) bool { return r.low < 200 || r.high > 299 })
}

func (e *statusExpectation) evaluate(_ context.Context, o *Observation, f *findings) {
	if !e.holds(o.Status) {
		f.add(Mismatch{Code: "status", Severity: Fail, Want: e.want, Got: strconv.Itoa(o.Status)})
	}
}
