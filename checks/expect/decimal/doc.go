// Package decimal compares JSON numbers exactly, by their text.
//
// No digit is lost and no exponent is expanded: 1e1000000000 costs as much as
// 1. It must never know where a number comes from.
package decimal
