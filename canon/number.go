package canon

import (
	"math"
	"strconv"
)

// maxExact is the largest magnitude of an integer that is accepted without Options.Inexact:
// every integer up to 2^53 is a double of its own.
const maxExact = 1 << 53

// exponentFrom is the magnitude from which the canonical form has an exponent;
// below it, integers are written with all their digits.
const exponentFrom = 1e21

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numberEnd returns the index after the number that continues at i.
func numberEnd(data []byte, i int) int {
	for i < len(data) && isDigit(data[i]) {
		i++
	}
	for i < len(data) && (isDigit(data[i]) || data[i] == '.' || data[i] == 'e' || data[i] == 'E' || data[i] == '-' || data[i] == '+') {
		i++
	}
	return i
}

// isInteger reports whether literal is an integer as spelled: no fraction, no
// exponent.
func isInteger[Text string | []byte](literal Text) bool {
	for i := 0; i < len(literal); i++ {
		if c := literal[i]; c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}

// checkNumber returns why a number is refused, or 0. It ignores a sign.
func checkNumber(literal []byte, inexact bool) Kind {
	if len(literal) < 16 && !hasExponent(literal) {
		return 0
	}
	if !inexact && isInteger(literal) {
		if n, err := strconv.ParseInt(string(literal), 10, 64); err != nil || n > maxExact || n < -maxExact {
			return IntegerInexact
		}
		return 0
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	switch abs := math.Abs(f); {
	case err != nil || math.IsInf(f, 0):
		return NumberOverflow
	case !inexact && abs > maxExact && abs < exponentFrom:
		return IntegerInexact
	}
	return 0
}

func hasExponent(literal []byte) bool {
	for _, c := range literal {
		if c == 'e' || c == 'E' {
			return true
		}
	}
	return false
}

// appendNumber appends the canonical form of a literal (RFC 8785, 3.2.2.3).
func appendNumber(dst []byte, literal string) []byte {
	if len(literal) < 16 && isInteger(literal) && literal != "-0" {
		return append(dst, literal...)
	}
	f, _ := strconv.ParseFloat(literal, 64) // checked when the value was made
	return appendFloat(dst, f)
}

// appendFloat appends f the way ECMAScript's Number::toString does.
func appendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // and so is -0
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < exponentFrom {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 is written e-9; e+09 does not occur
		dst = dst[:n-1]
	}
	return dst
}
