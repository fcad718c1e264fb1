package cel

import (
	"math"
	"math/big"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
)

// int is the number as an integer, where it is one that fits.
func (n number) int() (int64, bool) {
	if v, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return v, true
	}
	// 1.0 and 1e3 are integers too; beyond 2^53 a double may not be exact.
	if f := n.float(); decimal.IsInteger(string(n)) && math.Abs(f) < 1<<53 {
		return int64(f), true
	}
	return 0, false
}

func (n number) float() float64 {
	f, _ := strconv.ParseFloat(string(n), 64) // what is too large is an infinity
	return f
}

// canBe reports whether the number can be of that kind.
func (n number) canBe(k kind) bool {
	switch k {
	case intKind:
		_, ok := n.int()
		return ok
	case uintKind:
		v, ok := n.int()
		return ok && v >= 0
	}
	return k == doubleKind
}

// as makes the number one of a kind that it can be.
func (n number) as(k kind) value {
	switch v, _ := n.int(); k {
	case intKind:
		return v
	case uintKind:
		return uint64(v)
	case doubleKind:
		return n.float()
	}
	return n
}

// toFloat makes a double of any number.
func toFloat(v value) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case number:
		return v.float()
	}
	return v.(float64)
}

// written is a number in decimal notation; false for what has none: NaN and
// the infinities.
func written(v value) (string, bool) {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case number:
		return string(v), true
	}
	f := v.(float64)
	return strconv.FormatFloat(f, 'g', -1, 64), !math.IsNaN(f) && !math.IsInf(f, 0)
}

// compareNumbers compares numbers of any kinds by their decimal value; a
// double stands for the shortest decimal that it is written as. It is false
// where one of them is no number.
func compareNumbers(a, b value) (int, bool) {
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			return compareOrdered(x, y), true
		}
	}
	x, xFinite := written(a)
	y, yFinite := written(b)
	if xFinite && yFinite {
		return decimal.Compare(x, y), true
	}
	f, g := toFloat(a), toFloat(b)
	return compareOrdered(f, g), !math.IsNaN(f) && !math.IsNaN(g)
}

func compareOrdered[T int64 | float64 | uint64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

var errOverflow = &evalError{message: "the result does not fit"}

// intArithmetic applies an operator to integers; what does not fit in 64 bits
// is an error.
func intArithmetic(op byte, a, b *big.Int, fits func(*big.Int) bool) (*big.Int, error) {
	r := new(big.Int)
	switch op {
	case '+':
		r.Add(a, b)
	case '-':
		r.Sub(a, b)
	case '*':
		r.Mul(a, b)
	default:
		if b.Sign() == 0 {
			return nil, &evalError{message: "division by zero"}
		}
		if op == '/' {
			r.Quo(a, b)
		} else {
			r.Rem(a, b)
		}
	}
	if !fits(r) {
		return nil, errOverflow
	}
	return r, nil
}

// arithmetic is an operator on two numbers of one kind.
func arithmetic(op byte) func(*evaluation, []value) (value, error) {
	return func(_ *evaluation, args []value) (value, error) {
		switch a := args[0].(type) {
		case int64:
			r, err := intArithmetic(op, big.NewInt(a), big.NewInt(args[1].(int64)), (*big.Int).IsInt64)
			if err != nil {
				return nil, err
			}
			return r.Int64(), nil
		case uint64:
			b := new(big.Int).SetUint64(args[1].(uint64))
			r, err := intArithmetic(op, new(big.Int).SetUint64(a), b, (*big.Int).IsUint64)
			if err != nil {
				return nil, err
			}
			return r.Uint64(), nil
		}
		a, b := toFloat(args[0]), toFloat(args[1])
		switch op {
		case '+':
			return a + b, nil
		case '-':
			return a - b, nil
		case '*':
			return a * b, nil
		}
		return a / b, nil
	}
}
