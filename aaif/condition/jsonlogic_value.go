package condition

import (
	"math"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// JsonLogic compares and counts as JavaScript does.

// text returns a value as a string: a list with commas between its items, and an object
// as one fixed text.
func (m *meter) text(v any) string {
	if !m.spend(1) {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return formatNumber(v)
	case []any:
		var parts []string
		size := 0
		for _, item := range v {
			part := m.text(item)
			if size += 1 + len(part); !m.spend(1 + len(part)/stepBytes) {
				return ""
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ",")
	case map[string]any:
		return "[object Object]"
	}
	return ""
}

// formatNumber writes a number as JavaScript does.
func formatNumber(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return canon.Number(f).Spelling()
}

// number returns a value as a number: NaN for a text that is no number, 0 for null, false
// and blanks.
func (m *meter) number(v any) float64 {
	switch v := v.(type) {
	case nil:
		return 0
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	}
	text := m.text(v)
	if !m.spend(len(text) / stepBytes) {
		return math.NaN()
	}
	s := strings.TrimSpace(text)
	if s == "" {
		return 0
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) || strings.ContainsAny(s, "xXpP_") || strings.ContainsAny(s, "nN") && !strings.HasSuffix(s, "Infinity") {
		return math.NaN()
	}
	return f
}

// same compares like ===. A list or an object equals nothing.
func (m *meter) same(x, y any) bool {
	text, _ := x.(string)
	if !m.spend(1+len(text)/stepBytes) || structured(x) || structured(y) {
		return false
	}
	return x == y
}

// loose compares like ==.
func (m *meter) loose(x, y any) bool {
	if x == nil || y == nil {
		return x == y
	}
	xs, ys := structured(x), structured(y)
	switch {
	case xs && ys:
		return false
	case xs:
		x = m.text(x)
	case ys:
		y = m.text(y)
	}
	xt, xIs := x.(string)
	yt, yIs := y.(string)
	if xIs && yIs {
		return m.spend(len(xt)/stepBytes) && xt == yt
	}
	return m.number(x) == m.number(y)
}

func structured(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// compare orders two values: texts by their bytes, all others as numbers. It returns
// false if they have no order.
func (m *meter) compare(x, y any) (int, bool) {
	if structured(x) {
		x = m.text(x)
	}
	if structured(y) {
		y = m.text(y)
	}
	xt, xIs := x.(string)
	yt, yIs := y.(string)
	if xIs && yIs {
		return strings.Compare(xt, yt), m.spend(len(xt) / stepBytes)
	}
	a, b := m.number(x), m.number(y)
	switch {
	case a < b:
		return -1, true
	case a > b:
		return 1, true
	}
	return 0, a == b
}
