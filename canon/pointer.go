package canon

import (
	"strconv"
	"strings"
)

// Pointer returns the JSON Pointer (RFC 6901) of parts, each a member's name or
// an item's index. No parts point to the whole text.
func Pointer(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// At returns the value that a JSON Pointer (RFC 6901) leads to, and whether
// there is one. A malformed pointer leads nowhere.
func (v Value) At(pointer string) (Value, bool) {
	for pointer != "" {
		if pointer[0] != '/' {
			return Value{}, false
		}
		part, rest, more := strings.Cut(pointer[1:], "/")
		pointer = ""
		if more {
			pointer = "/" + rest
		}
		v = v.step(part)
		if v.typ == TypeUndefined {
			return Value{}, false
		}
	}
	return v, v.typ != TypeUndefined
}

// step follows one reference token, still escaped.
func (v Value) step(token string) Value {
	switch v.typ {
	case TypeObject:
		name, ok := unescape(token)
		if !ok {
			return Value{}
		}
		return v.Get(name)
	case TypeArray:
		i, err := strconv.ParseUint(token, 10, 31)
		if err != nil || (len(token) > 1 && token[0] == '0') || i >= uint64(v.Len()) {
			return Value{}
		}
		return v.kids.items[i]
	}
	return Value{}
}

// unescape undoes ~1 and ~0; any other tilde is an error.
func unescape(token string) (string, bool) {
	if !strings.Contains(token, "~") {
		return token, true
	}
	if n := strings.Count(token, "~0") + strings.Count(token, "~1"); n != strings.Count(token, "~") {
		return "", false
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), true
}
