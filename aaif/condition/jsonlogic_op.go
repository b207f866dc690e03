package condition

import (
	"math"
	"strings"
)

// arguments are the arguments of an operator.
type arguments struct {
	meter  *meter
	data   any
	values []any
}

// at returns an argument, nil if it is missing.
func (a arguments) at(i int) any {
	if i < len(a.values) {
		return a.values[i]
	}
	return nil
}

func (a arguments) number(i int) float64 { return a.meter.number(a.at(i)) }

// logicOperators are the operators that need only the values of their arguments and the
// data.
func logicOperators() map[string]func(arguments) any {
	return map[string]func(arguments) any{
		"var":          variable,
		"missing":      func(a arguments) any { return missing(a, listOf(a.values)) },
		"missing_some": missingSome,
		"==":           func(a arguments) any { return a.meter.loose(a.at(0), a.at(1)) },
		"!=":           func(a arguments) any { return !a.meter.loose(a.at(0), a.at(1)) },
		"===":          func(a arguments) any { return a.meter.same(a.at(0), a.at(1)) },
		"!==":          func(a arguments) any { return !a.meter.same(a.at(0), a.at(1)) },
		"!":            func(a arguments) any { return !truthy(a.at(0)) },
		"!!":           func(a arguments) any { return truthy(a.at(0)) },
		"<":            func(a arguments) any { return inOrder(a, func(c int) bool { return c < 0 }) },
		"<=":           func(a arguments) any { return inOrder(a, func(c int) bool { return c <= 0 }) },
		">":            func(a arguments) any { return inOrder(a, func(c int) bool { return c > 0 }) },
		">=":           func(a arguments) any { return inOrder(a, func(c int) bool { return c >= 0 }) },
		"+":            func(a arguments) any { return folded(a, 0, func(x, y float64) float64 { return x + y }) },
		"*":            func(a arguments) any { return folded(a, 1, func(x, y float64) float64 { return x * y }) },
		"-":            minus,
		"/":            func(a arguments) any { return a.number(0) / a.number(1) },
		"%":            func(a arguments) any { return math.Mod(a.number(0), a.number(1)) },
		"max":          func(a arguments) any { return folded(a, math.Inf(-1), math.Max) },
		"min":          func(a arguments) any { return folded(a, math.Inf(1), math.Min) },
		"in":           in,
		"cat":          cat,
		"substr":       substr,
		"merge":        merge,
	}
}

// inOrder compares two arguments, or tests that the second lies between the others.
func inOrder(a arguments, holds func(int) bool) bool {
	c, ok := a.meter.compare(a.at(0), a.at(1))
	if !ok || !holds(c) || len(a.values) < 3 {
		return ok && holds(c)
	}
	c, ok = a.meter.compare(a.at(1), a.at(2))
	return ok && holds(c)
}

func folded(a arguments, start float64, op func(x, y float64) float64) any {
	sum := start
	for i := range a.values {
		sum = op(sum, a.number(i))
	}
	return sum
}

func minus(a arguments) any {
	if len(a.values) < 2 {
		return -a.number(0)
	}
	return a.number(0) - a.number(1)
}

// in searches a value in a list, or a text in a text.
func in(a arguments) any {
	a.meter.spend(weight(a.at(1)))
	switch within := a.at(1).(type) {
	case string:
		return strings.Contains(within, a.meter.text(a.at(0)))
	case []any:
		for _, item := range within {
			if a.meter.same(a.at(0), item) {
				return true
			}
		}
	}
	return false
}

func cat(a arguments) any {
	var b strings.Builder
	for _, v := range a.values {
		s := a.meter.text(v)
		if !a.meter.spend(len(s) / stepBytes) {
			return nil
		}
		b.WriteString(s)
	}
	return b.String()
}

// substr cuts a text from a character on. A negative start counts from the end. A
// negative length stops that many characters before the end.
func substr(a arguments) any {
	s := a.meter.text(a.at(0))
	if !a.meter.spend(len(s)/stepBytes + 1) {
		return nil
	}
	runes := []rune(s)
	from := within(a.number(1), len(runes))
	rest := runes[from:]
	if a.at(2) == nil {
		return string(rest)
	}
	return string(rest[:within(a.number(2), len(rest))])
}

// within turns a position into one between 0 and length. A negative position counts from
// the end.
func within(position float64, length int) int {
	if math.IsNaN(position) {
		return 0
	}
	if position < 0 {
		position += float64(length)
	}
	return int(min(max(position, 0), float64(length)))
}

// merge joins lists and other values in one list.
func merge(a arguments) any {
	out := []any{}
	for _, v := range a.values {
		if !a.meter.spend(weight(v)) {
			return nil
		}
		if list, ok := v.([]any); ok {
			out = append(out, list...)
		} else {
			out = append(out, v)
		}
	}
	return out
}
