package jsonpath

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
)

// Identity is the same text for values that are Equal, and for no others.
func (v Value) Identity() string {
	switch v.Kind() {
	case Number:
		return decimal.Canonical(string(v.raw))
	case String:
		return `"` + v.Text()
	}
	var b strings.Builder
	writeIdentity(&b, v.Decode())
	return b.String()
}

func writeIdentity(b *strings.Builder, v any) {
	switch v := v.(type) {
	case json.Number:
		b.WriteString(decimal.Canonical(string(v)))
	case string:
		b.WriteString(strconv.Quote(v))
	case []any:
		b.WriteByte('[')
		for _, e := range v {
			writeIdentity(b, e)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(strconv.Quote(k) + ":")
			writeIdentity(b, v[k])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default:
		fmt.Fprint(b, v)
	}
}
