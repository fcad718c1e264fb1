package jsonschema

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a schema.
type Problem struct {
	Where   string // file#/json/pointer
	Message string
}

// Error is everything that is wrong with a schema; it is never empty.
type Error []Problem

// maxProblems bounds what one wrong file says.
const maxProblems = 10

// Error names the first problems.
func (e Error) Error() string {
	var parts []string
	for i, p := range e {
		if i == maxProblems {
			parts = append(parts, "and "+strconv.Itoa(len(e)-i)+" more")
			break
		}
		parts = append(parts, fmt.Sprintf("%s: %s", p.Where, p.Message))
	}
	return strings.Join(parts, "; ")
}
