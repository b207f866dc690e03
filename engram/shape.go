package engram

import "strings"

// maxURI bounds what is taken for a URI.
const maxURI = 2048

// isURI reports whether s is a scheme and something after it, without spaces.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || len(s) > maxURI || scheme == "" {
		return false
	}
	for i, c := range []byte(strings.ToLower(scheme)) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return !strings.ContainsFunc(rest, isBreakOrSpace)
}

func isBreakOrSpace(r rune) bool {
	return r <= ' ' || r == 0x7f || r == 0xa0 || r == 0x2028 || r == 0x2029
}
