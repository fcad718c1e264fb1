package jsonschema

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// keyword reads one keyword's value v into the schema; whole is the schema
// that it stands in.
type keyword struct {
	make    func(b *builder, whole, v jsonpath.Node)
	asserts bool // it is of the validation vocabulary
}

// keywordTables are built when a schema first needs them: a start without
// schemas does not pay for them.
var keywordTables [2]struct {
	once sync.Once
	rows map[string]keyword
}

// keywordsOf gives the keywords of a draft that say something.
func keywordsOf(d draft) map[string]keyword {
	t := &keywordTables[d]
	t.once.Do(func() {
		t.rows = commonKeywords()
		if d == draft7 {
			t.rows["items"] = keyword{make: makeItems7}
			return
		}
		for name, k := range keywords2020() {
			t.rows[name] = k
		}
	})
	return t.rows
}

func keywords2020() map[string]keyword {
	return map[string]keyword{
		"$dynamicRef":           {make: makeDynamicRef},
		"prefixItems":           {make: func(b *builder, _, v jsonpath.Node) { b.s.arrays().prefix = b.subs(v) }},
		"items":                 subKeyword(func(s, sub *schema) { s.arrays().rest = sub }),
		"minContains":           countKeyword(func(s *schema, n int) { s.arrays().minContains = n }),
		"maxContains":           countKeyword(func(s *schema, n int) { s.arrays().maxContains = n }),
		"dependentSchemas":      {make: makeDependencies},
		"dependentRequired":     {make: makeDependencies, asserts: true},
		"unevaluatedItems":      subKeyword(func(s, sub *schema) { s.unevaluatedItems = sub }),
		"unevaluatedProperties": subKeyword(func(s, sub *schema) { s.unevaluatedProperties = sub }),
	}
}

func commonKeywords() map[string]keyword {
	return map[string]keyword{
		"type": {make: makeType, asserts: true},
		"enum": {make: makeEnum, asserts: true},
		"const": {make: func(b *builder, _, v jsonpath.Node) {
			b.s.enum = append(b.s.enum[:0:0], v.Value().Decode())
			b.s.enumText = oneLine(v.Value())
		}, asserts: true},
		"multipleOf":       {make: func(b *builder, _, v jsonpath.Node) { b.s.numbers().multipleOf = string(v.Value().Raw()) }, asserts: true},
		"minimum":          boundKeyword("at least ", func(order int) bool { return order >= 0 }),
		"maximum":          boundKeyword("at most ", func(order int) bool { return order <= 0 }),
		"exclusiveMinimum": boundKeyword("more than ", func(order int) bool { return order > 0 }),
		"exclusiveMaximum": boundKeyword("less than ", func(order int) bool { return order < 0 }),
		"minLength":        countKeyword(func(s *schema, n int) { s.texts().min = n }),
		"maxLength":        countKeyword(func(s *schema, n int) { s.texts().max = n }),
		"minItems":         countKeyword(func(s *schema, n int) { s.arrays().min = n }),
		"maxItems":         countKeyword(func(s *schema, n int) { s.arrays().max = n }),
		"minProperties":    countKeyword(func(s *schema, n int) { s.objects().min = n }),
		"maxProperties":    countKeyword(func(s *schema, n int) { s.objects().max = n }),
		"uniqueItems":      {make: func(b *builder, _, v jsonpath.Node) { b.s.arrays().unique = v.Value().Raw()[0] == 't' }, asserts: true},
		"required":         {make: makeRequired, asserts: true},
		"pattern":          {make: makePattern, asserts: true},
		"format":           {make: makeFormat},

		"properties":           {make: makeProperties},
		"patternProperties":    {make: makePatternProperties},
		"additionalProperties": subKeyword(func(s, sub *schema) { s.objects().additional = sub }),
		"propertyNames":        subKeyword(func(s, sub *schema) { s.objects().names = sub }),
		"contains":             subKeyword(func(s, sub *schema) { s.arrays().contains = sub }),
		"allOf":                {make: func(b *builder, _, v jsonpath.Node) { b.s.allOf = b.subs(v) }},
		"anyOf":                {make: func(b *builder, _, v jsonpath.Node) { b.s.anyOf = b.subs(v) }},
		"oneOf":                {make: func(b *builder, _, v jsonpath.Node) { b.s.oneOf = b.subs(v) }},
		"not":                  subKeyword(func(s, sub *schema) { s.not = sub }),
		"if":                   subKeyword(func(s, sub *schema) { s.when = sub }),
		"dependencies":         {make: makeDependencies}, // 2020-12 keeps it for compatibility
		"then":                 subKeyword(func(s, sub *schema) { s.then = sub }),
		"else":                 subKeyword(func(s, sub *schema) { s.otherwise = sub }),
	}
}

func subKeyword(set func(s, sub *schema)) keyword {
	return keyword{make: func(b *builder, _, v jsonpath.Node) { set(b.s, b.sub(v)) }}
}

func boundKeyword(want string, holds func(order int) bool) keyword {
	return keyword{asserts: true, make: func(b *builder, _, v jsonpath.Node) {
		limit := string(v.Value().Raw())
		n := b.s.numbers()
		n.bounds = append(n.bounds, bound{limit: limit, want: want + limit, holds: holds})
	}}
}

// countKeyword reads a whole number, which may be written 2.0.
func countKeyword(set func(s *schema, n int)) keyword {
	return keyword{asserts: true, make: func(b *builder, _, v jsonpath.Node) {
		n, err := strconv.ParseFloat(string(v.Value().Raw()), 64)
		if err != nil || n > math.MaxInt32 {
			n = math.MaxInt32
		}
		set(b.s, int(n))
	}}
}

func texts(v jsonpath.Node) []string {
	var list []string
	v.Elements(func(_ int, e jsonpath.Node) bool { list = append(list, e.Value().Text()); return true })
	return list
}

func makeType(b *builder, _, v jsonpath.Node) {
	words := texts(v)
	if v.Kind() == jsonpath.String {
		words = []string{v.Value().Text()}
	}
	for _, w := range words {
		bit := integerBit
		if w != "integer" {
			bit = 1 << slices.Index(typeWords, w) // in the order of jsonpath.Kind
		}
		b.s.types |= bit
	}
	b.s.typeText = strings.Join(words, " or ")
}

func makeEnum(b *builder, _, v jsonpath.Node) {
	b.s.enum = []any{}
	var shown []string
	v.Elements(func(_ int, e jsonpath.Node) bool {
		b.s.enum = append(b.s.enum, e.Value().Decode())
		shown = append(shown, oneLine(e.Value()))
		return true
	})
	b.s.enumText = "one of " + strings.Join(shown, ", ")
}

// oneLine is a declared value for a person.
func oneLine(v jsonpath.Value) string { return strings.Join(strings.Fields(string(v.Raw())), " ") }

func makePattern(b *builder, _, v jsonpath.Node) {
	t := b.s.texts()
	t.source = v.Value().Text()
	t.pattern = b.pattern(v, t.source)
}

func makeProperties(b *builder, _, v jsonpath.Node) {
	o := b.s.objects()
	for name, sub := range b.subMap(v) {
		p := o.member(name)
		p.schema = sub
		o.members[name] = p
	}
}

// makeRequired numbers the names, so that one walk over the members finds out
// which of them are missing.
func makeRequired(b *builder, _, v jsonpath.Node) {
	o := b.s.objects()
	o.required = texts(v)
	for i, name := range o.required {
		p := o.member(name)
		p.required = i + 1
		o.members[name] = p
	}
}

func makePatternProperties(b *builder, _, v jsonpath.Node) {
	v.Members(func(name jsonpath.Value, sub jsonpath.Node) bool {
		if re := b.pattern(sub, name.Text()); re != nil {
			o := b.s.objects()
			o.patterns = append(o.patterns, patternSchema{re, b.sub(sub)})
		}
		return true
	})
}

func (b *builder) pattern(at jsonpath.Node, source string) *regexp.Regexp {
	re, err := compilePattern(source)
	if err != nil {
		b.c.problem(b.r.where(at), "pattern "+strconv.Quote(source)+" is not one that RE2 has (no look-around, no back-references): "+err.Error())
	}
	return re
}

func makeFormat(b *builder, _, v jsonpath.Node) {
	name := v.Value().Text()
	if holds := formats[name]; holds != nil && (b.c.opt.Formats || b.r.dialect.formats) {
		t := b.s.texts()
		t.format, t.name = holds, name
	}
}

// makeItems7 reads items of draft-07, with the additionalItems beside it.
func makeItems7(b *builder, whole, v jsonpath.Node) {
	if v.Kind() != jsonpath.Array {
		b.s.arrays().rest = b.sub(v)
		return
	}
	b.s.arrays().prefix = b.subs(v)
	if rest, ok := whole.Member("additionalItems"); ok {
		b.s.arrays().rest = b.sub(rest)
	}
}

// makeDependencies reads dependentRequired, dependentSchemas, and dependencies
// of draft-07, which hold both.
func makeDependencies(b *builder, _, v jsonpath.Node) {
	o := b.s.objects()
	v.Members(func(name jsonpath.Value, needs jsonpath.Node) bool {
		if needs.Kind() != jsonpath.Array {
			if o.dependent == nil {
				o.dependent = map[string]*schema{}
			}
			o.dependent[name.Text()] = b.sub(needs)
			return true
		}
		if o.needs == nil {
			o.needs = map[string][]string{}
		}
		o.needs[name.Text()] = texts(needs)
		return true
	})
}

// makeDynamicRef reads $dynamicRef (2020-12 §8.2.3.2). It is a plain reference
// unless it leads to a $dynamicAnchor of the same name.
func makeDynamicRef(b *builder, _, v jsonpath.Node) {
	b.s.dynamicRef = b.c.reference(b.r, v)
	u, err := url.Parse(v.Value().Text())
	if err != nil || u.Fragment == "" || b.s.dynamicRef.res == nil {
		return
	}
	if _, bookended := b.s.dynamicRef.res.dynamic[u.Fragment]; bookended {
		b.s.dynamic = u.Fragment
	}
}

// isInteger reports whether a number has no fraction.
func isInteger(v jsonpath.Value) bool { return decimal.IsInteger(v.PeekRaw()) }
