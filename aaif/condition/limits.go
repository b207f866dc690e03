package condition

// Limits bound expressions and payloads of strangers. Zero in a field means its default.
type Limits struct {
	Expression int // bytes of an expression; default 4,096
	Nesting    int // brackets, or rules, within each other; default 32
	Payload    int // bytes of the names and strings of a payload, eight for every other value; default 256 KiB
	Values     int // values in a payload; default 20,000
	Depth      int // nesting of a payload; default 64
	Steps      int // steps of one decision, of some ten nanoseconds each; default 1,000,000
}

// filled returns l with every zero replaced by its default.
func (l Limits) filled() Limits {
	for _, f := range []struct {
		field *int
		value int
	}{
		{&l.Expression, 4096}, {&l.Nesting, 32}, {&l.Payload, 256 << 10}, {&l.Values, 20_000}, {&l.Depth, 64}, {&l.Steps, 1_000_000},
	} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	return l
}

// meter counts the steps of one decision. Once spent it stays spent, so that code that
// ignores errors cannot go on.
type meter struct{ left int }

// spend takes n steps, and reports whether there were enough.
func (m *meter) spend(n int) bool {
	if n < 0 || n > m.left {
		m.left = -1
		return false
	}
	m.left -= n
	return true
}

func (m *meter) spent() bool { return m.left < 0 }

// tree takes a step per value in v, and more for long strings. A value that occurs twice
// counts twice.
func (m *meter) tree(v any) bool {
	if !m.spend(1) {
		return false
	}
	switch v := v.(type) {
	case string:
		return m.spend(len(v) / stepBytes)
	case []any:
		for _, item := range v {
			if !m.tree(item) {
				return false
			}
		}
	case map[string]any:
		for name, item := range v {
			if !m.spend(len(name)/stepBytes) || !m.tree(item) {
				return false
			}
		}
	}
	return true
}

// stepBytes is the number of bytes per step.
const stepBytes = 16

// weight returns the cost of one pass over v, without its items.
func weight(v any) int {
	switch v := v.(type) {
	case string:
		return 1 + len(v)/stepBytes
	case []any:
		return 1 + len(v)
	case map[string]any:
		return 1 + len(v)
	}
	return 1
}

// nesting returns how deep the brackets of text nest, ignoring text in quotes. A
// backslash escapes the next byte.
func nesting(text, quotes string) int {
	most, depth := 0, 0
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case isOneOf(c, quotes):
			quote = c
		case isOneOf(c, "([{"):
			depth++
			most = max(most, depth)
		case isOneOf(c, ")]}"):
			depth--
		}
	}
	return most
}

func isOneOf(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}
