package cel

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

func (t table) operators() {
	logic := func(*evaluation, []value) (value, error) { return nil, errOverflow } // evaluated in place: eval.go
	t.add("_&&_", overload{params: []kind{boolKind, boolKind}, gives: boolKind, apply: logic})
	t.add("_||_", overload{params: []kind{boolKind, boolKind}, gives: boolKind, apply: logic})
	t.add("_?_:_", overload{params: []kind{boolKind, dynKind, dynKind}, typed: func(args []Type) Type { return join(args[1], args[2]) }, apply: logic})
	t.add("!_", overload{params: []kind{boolKind}, gives: boolKind, apply: func(_ *evaluation, args []value) (value, error) { return !args[0].(bool), nil }})
	t.add("-_", overload{params: []kind{intKind}, gives: intKind, apply: func(_ *evaluation, args []value) (value, error) {
		return arithmetic('-')(nil, []value{int64(0), args[0]})
	}}, overload{params: []kind{doubleKind}, gives: doubleKind, apply: func(_ *evaluation, args []value) (value, error) { return -args[0].(float64), nil }})
	for _, op := range []byte{'+', '-', '*', '/', '%'} {
		name := "_" + string(op) + "_"
		t.add(name, binary(arithmetic(op), [3]kind{intKind, intKind, intKind}, [3]kind{uintKind, uintKind, uintKind})...)
		if op != '%' {
			t.add(name, binary(arithmetic(op), [3]kind{doubleKind, doubleKind, doubleKind})...)
		}
	}
	t.add("_+_", binary(plus, [3]kind{stringKind, stringKind, stringKind}, [3]kind{bytesKind, bytesKind, bytesKind},
		[3]kind{timestampKind, durationKind, timestampKind}, [3]kind{durationKind, timestampKind, timestampKind}, [3]kind{durationKind, durationKind, durationKind})...)
	t.add("_+_", overload{params: []kind{listKind, listKind}, typed: func(args []Type) Type { return listOf(join(args[0].element(), args[1].element())) }, apply: plus})
	t.add("_-_", binary(minus, [3]kind{timestampKind, timestampKind, durationKind}, [3]kind{timestampKind, durationKind, timestampKind}, [3]kind{durationKind, durationKind, durationKind})...)
	for op, holds := range map[string]func(int) bool{
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	} {
		apply := func(_ *evaluation, args []value) (value, error) {
			c, ordered := order(args[0], args[1])
			return ordered && holds(c), nil
		}
		for _, k := range []kind{numberKind, stringKind, boolKind, bytesKind, timestampKind, durationKind} {
			t.add("_"+op+"_", overload{params: []kind{k, k}, gives: boolKind, apply: apply})
		}
	}
	t.add("_==_", overload{params: []kind{dynKind, dynKind}, gives: boolKind, apply: func(e *evaluation, args []value) (value, error) { return e.equal(args[0], args[1]) }})
	t.add("_!=_", overload{params: []kind{dynKind, dynKind}, gives: boolKind, apply: func(e *evaluation, args []value) (value, error) {
		same, err := e.equal(args[0], args[1])
		return !same, err
	}})
	t.add("_in_", overload{params: []kind{dynKind, listKind}, gives: boolKind, apply: within}, overload{params: []kind{dynKind, mapKind}, gives: boolKind, apply: isKey})
	element := func(args []Type) Type { return args[0].element() }
	t.add("_[_]", overload{params: []kind{listKind, numberKind}, typed: element, apply: atIndex}, overload{params: []kind{mapKind, dynKind}, typed: element, apply: atKey})
}

// order compares two values of one kind, or two numbers.
func order(a, b value) (int, bool) {
	switch x := a.(type) {
	case string:
		return strings.Compare(x, b.(string)), true
	case []byte:
		return bytes.Compare(x, b.([]byte)), true
	case time.Time:
		return x.Compare(b.(time.Time)), true
	case time.Duration:
		return compareOrdered(int64(x), int64(b.(time.Duration))), true
	case bool:
		y := b.(bool)
		switch {
		case x == y:
			return 0, true
		case y:
			return -1, true
		}
		return 1, true
	}
	return compareNumbers(a, b)
}

// maxText bounds a text that an expression may build, in bytes.
const maxText = 1 << 20

// ErrLong is our own limit: an expression builds too long a text.
var ErrLong error = &evalError{message: "a text that the expression builds is longer than 1 MiB"}

func plus(e *evaluation, args []value) (value, error) {
	switch a := args[0].(type) {
	case string:
		b := args[1].(string)
		if len(a)+len(b) > maxText {
			return nil, ErrLong
		}
		return a + b, e.spend((len(a) + len(b)) / 4)
	case []byte:
		b := args[1].([]byte)
		if len(a)+len(b) > maxText {
			return nil, ErrLong
		}
		return slices.Concat(a, b), e.spend((len(a) + len(b)) / 4)
	case time.Time:
		return a.Add(args[1].(time.Duration)), nil
	case time.Duration:
		if b, ok := args[1].(time.Time); ok {
			return b.Add(a), nil
		}
		b := args[1].(time.Duration)
		if sum := a + b; (sum > a) == (b > 0) {
			return sum, nil
		}
		return nil, errOverflow
	}
	var sum list
	for _, arg := range args {
		err := e.elements(arg, func(_ int, v value) (bool, error) {
			sum = append(sum, v)
			return true, e.spend(kept)
		})
		if err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func minus(_ *evaluation, args []value) (value, error) {
	if a, ok := args[0].(time.Time); ok {
		if b, ok := args[1].(time.Time); ok {
			return a.Sub(b), nil
		}
		return a.Add(-args[1].(time.Duration)), nil
	}
	a, b := args[0].(time.Duration), args[1].(time.Duration)
	if diff := a - b; (diff < a) == (b > 0) {
		return diff, nil
	}
	return nil, errOverflow
}

// equal compares values: numbers of any kinds as decimals, containers by what
// is in them. Values of different types are not equal.
func (e *evaluation) equal(a, b value) (bool, error) {
	if err := e.spend(1); err != nil {
		return false, err
	}
	x, y := kindOf(a), kindOf(b)
	switch {
	case isNumber(x) && isNumber(y):
		c, ok := compareNumbers(a, b)
		return ok && c == 0, nil
	case x != y:
		return false, nil
	case x == listKind:
		return e.equalLists(a, b)
	case x == mapKind:
		return e.equalMaps(a, b)
	case x == nullKind:
		return true, nil
	case x == typeKind:
		return a == b, nil
	}
	c, _ := order(a, b)
	return c == 0, nil
}

func (e *evaluation) equalLists(a, b value) (bool, error) {
	if length(a) != length(b) {
		return false, nil
	}
	var other list
	err := e.elements(b, func(_ int, v value) (bool, error) { other = append(other, v); return true, nil })
	same := err == nil
	if err != nil {
		return false, err
	}
	err = e.elements(a, func(i int, v value) (bool, error) {
		var err error
		same, err = e.equal(v, other[i])
		return same, err
	})
	return same, err
}

func (e *evaluation) equalMaps(a, b value) (bool, error) {
	if length(a) != length(b) {
		return false, nil
	}
	same := true
	err := e.members(a, func(k, v value) (bool, error) {
		other, has := member(b, k)
		if !has {
			same = false
			return false, nil
		}
		var err error
		same, err = e.equal(v, other)
		return same, err
	})
	return same, err
}

func within(e *evaluation, args []value) (value, error) {
	found := false
	err := e.elements(args[1], func(_ int, v value) (bool, error) {
		var err error
		found, err = e.equal(args[0], v)
		return !found, err
	})
	return found, err
}

func isKey(e *evaluation, args []value) (value, error) {
	_, has := member(args[1], args[0])
	return has, e.spend(length(args[1]) / 8)
}

func atIndex(e *evaluation, args []value) (value, error) {
	var i int64
	switch n := args[1].(type) {
	case int64:
		i = n
	case number:
		whole, ok := n.int()
		if !ok {
			return nil, &evalError{message: "an index is a whole number"}
		}
		i = whole
	default:
		f := toFloat(n)
		if i = int64(f); float64(i) != f {
			return nil, &evalError{message: "an index is a whole number"}
		}
	}
	if l, ok := args[0].(list); ok {
		if i < 0 || i >= int64(len(l)) {
			return nil, &evalError{message: "there is no element " + text(i) + " in a list of " + text(int64(len(l)))}
		}
		return l[i], nil
	}
	n := args[0].(jsonpath.Node)
	if err := e.spend(int(min(max(i, 0), 1<<30)) / 2); err != nil {
		return nil, err
	}
	if i >= 0 && i < 1<<31 {
		if found, ok := n.Element(int(i)); ok {
			return fromNode(found), nil
		}
	}
	return nil, &evalError{message: "there is no element " + text(i) + " in a list of " + text(int64(n.Count()))}
}

func atKey(e *evaluation, args []value) (value, error) {
	v, has := member(args[0], args[1])
	if !has {
		return nil, noKey(args[1])
	}
	return v, e.spend(1)
}

func noKey(key value) error { return &evalError{message: "no such key: ", about: about(key)} }
