package decimal

import "math/big"

// IsMultiple reports whether x is a whole multiple of m, both JSON numbers; m
// is more than 0. It is exact whatever the size of the numbers, and takes time
// in proportion to the length of x.
func IsMultiple(x, m string) bool {
	a, b := parse(x), parse(m)
	if a.sign == 0 {
		return true
	}
	if b.sign == 0 || a.point.digits != "" || b.point.digits != "" {
		return false
	}
	// The places that x's last digit stands left of m's.
	shift := (a.point.value - int64(len(a.digits))) - (b.point.value - int64(len(b.digits)))
	q, _ := new(big.Int).SetString(b.digits, 10)
	ten := big.NewInt(10)
	if shift < 0 {
		// x has no zero at its end: more tens than it has digits do not divide it.
		if -shift > int64(len(a.digits))+1 {
			return false
		}
		q.Mul(q, ten.Exp(ten, big.NewInt(-shift), nil))
		return remainder(a.digits, q).Sign() == 0
	}
	p := remainder(a.digits, q)
	p.Mul(p, ten.Exp(ten, big.NewInt(shift), q))
	return p.Mod(p, q).Sign() == 0
}

// remainder divides a row of digits by q, some at a time.
func remainder(digits string, q *big.Int) *big.Int {
	const most = 18
	r, part, scale := new(big.Int), new(big.Int), new(big.Int)
	for len(digits) > 0 {
		n := min(most, len(digits))
		v, _ := small(digits[:n])
		r.Mul(r, scale.Exp(part.SetInt64(10), big.NewInt(int64(n)), nil))
		r.Add(r, part.SetInt64(v))
		r.Mod(r, q)
		digits = digits[n:]
	}
	return r
}
