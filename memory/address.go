package memory

import "strings"

const (
	longestName    = 200 // bytes of a project's name that is told to a model
	longestSegment = 64  // bytes of one part of it
)

// IsAddress reports whether the name of a project reads as an address and as no text:
// segments between slashes, of letters, digits and ._~+@- only. Others choose the names of
// projects, so that a model is told no other name outside of a frame.
func IsAddress(name string) bool {
	if name == "" || len(name) > longestName {
		return false
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(name, "/"), "/") {
		if segment == "" || len(segment) > longestSegment || strings.ContainsFunc(segment, unaddressed) {
			return false
		}
	}
	return true
}

// unaddressed reports whether an address may not have r.
func unaddressed(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._~+@-", r)
}
