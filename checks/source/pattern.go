package source

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first needed: a
// program's start pays for every one that is not. It panics, then, where the
// expression is wrong.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
