package cel

import (
	"strings"
	"sync"
)

// function is what calls of one name may be.
type function struct{ overloads []overload }

// overload is one form of a function: the kinds of its parameters (of a member
// the first is what stands before the dot) and of its result.
type overload struct {
	params []kind
	member bool
	gives  kind
	// typed gives the result's type where it depends on the parameters'.
	typed func(args []Type) Type
	apply func(e *evaluation, args []value) (value, error)
}

func (o *overload) takes(member bool, types []Type) bool {
	if o.member != member || len(o.params) != len(types) {
		return false
	}
	for i, t := range types {
		if !t.fits(o.params[i]) {
			return false
		}
	}
	return true
}

func (o *overload) result(types []Type) Type {
	if o.typed != nil {
		return o.typed(types)
	}
	if o.gives == listKind {
		return listOf(Dyn)
	}
	return Type{kind: o.gives}
}

// accepts reports whether values are what the parameters are; a number of an
// answer is what it can be.
func (o *overload) accepts(member bool, args []value) bool {
	if o.member != member || len(o.params) != len(args) {
		return false
	}
	for i, v := range args {
		k, want := kindOf(v), o.params[i]
		if want == dynKind || want == k || (want == numberKind && isNumber(k)) {
			continue
		}
		if n, ok := v.(number); !ok || !n.canBe(want) {
			return false
		}
	}
	return true
}

// forms lists how a function is called, for a person.
func (f function) forms(name string) string {
	var list []string
	for _, o := range f.overloads {
		var words []string
		for _, k := range o.params {
			words = append(words, k.String())
		}
		if text := form(name, o.member, words); len(list) == 0 || list[len(list)-1] != text {
			list = append(list, text)
		}
	}
	if len(list) > 8 {
		list = append(list[:8], "…")
	}
	return "it is " + strings.Join(list, ", ")
}

// functions gives the operators and functions, by name. They are built when an
// expression first needs them: a start without expressions does not pay.
var functions = sync.OnceValue(func() map[string]function {
	t := table{}
	t.operators()
	t.conversions()
	t.texts()
	t.times()
	return t
})

// table is the functions while they are listed.
type table map[string]function

func (t table) add(name string, list ...overload) {
	f := t[name]
	f.overloads = append(f.overloads, list...)
	t[name] = f
}

// binary makes overloads of an operator: for pairs of kinds and their result.
func binary(apply func(e *evaluation, args []value) (value, error), triples ...[3]kind) []overload {
	var list []overload
	for _, t := range triples {
		list = append(list, overload{params: []kind{t[0], t[1]}, gives: t[2], apply: apply})
	}
	return list
}
