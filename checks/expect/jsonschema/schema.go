package jsonschema

import (
	"regexp"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// schema is one compiled schema object. The groups are nil where none of their
// keywords is there.
type schema struct {
	res   *resource
	where string
	never bool // false
	meta  func(jsonpath.Node) bool

	ref             *schema
	dynamic         string // the name that a $dynamicRef looks for; ref leads where it leads without
	dynamicRef      *schema
	types           typeSet
	typeText        string
	enum            []any
	enumText        string
	number          *numberRules
	text            *textRules
	array           *arrayRules
	object          *objectRules
	allOf           []*schema
	anyOf, oneOf    []*schema
	not             *schema
	when            *schema // if
	then, otherwise *schema

	unevaluatedItems, unevaluatedProperties *schema
}

// typeSet is a set of JSON types; integer is a bit of its own.
type typeSet uint8

const integerBit typeSet = 1 << 7

type numberRules struct {
	bounds     []bound
	multipleOf string
}

// bound is minimum and its kin: holds is asked how the number compares.
type bound struct {
	limit string
	want  string
	holds func(order int) bool
}

type textRules struct {
	min, max int // max -1 for none
	pattern  *regexp.Regexp
	source   string
	format   func(string) bool
	name     string // of the format
}

type arrayRules struct {
	prefix      []*schema
	rest        *schema
	min, max    int
	unique      bool
	contains    *schema
	minContains int
	maxContains int
}

type objectRules struct {
	members    map[string]knownMember
	patterns   []patternSchema
	additional *schema
	names      *schema
	required   []string
	min, max   int
	needs      map[string][]string // dependentRequired
	dependent  map[string]*schema
}

// knownMember is what a schema says of a member by its name.
type knownMember struct {
	schema   *schema // nil where properties does not name it
	required int     // its place in required, from 1; 0 where it is not there
}

func (o *objectRules) member(name string) knownMember {
	if o.members == nil {
		o.members = map[string]knownMember{}
	}
	return o.members[name]
}

type patternSchema struct {
	pattern *regexp.Regexp
	schema  *schema
}

func (s *schema) numbers() *numberRules {
	if s.number == nil {
		s.number = &numberRules{}
	}
	return s.number
}

func (s *schema) texts() *textRules {
	if s.text == nil {
		s.text = &textRules{max: -1}
	}
	return s.text
}

func (s *schema) arrays() *arrayRules {
	if s.array == nil {
		s.array = &arrayRules{max: -1, minContains: 1, maxContains: -1}
	}
	return s.array
}

func (s *schema) objects() *objectRules {
	if s.object == nil {
		s.object = &objectRules{max: -1}
	}
	return s.object
}
