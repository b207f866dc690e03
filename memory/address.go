package memory

import "strings"

const (
	longestName    = 200 // bytes of a project's name that is told to a model
	longestSegment = 64  // bytes of one part of it
)

// IsAddress reports whether a project's name looks like an address: segments of letters,
// digits and ._~+@- with slashes between them. Strangers choose the names of projects, so a
// model sees any other name only inside a frame.
func IsAddress(name string) bool {
	if name == "" || len(name) > longestName {
		return false
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(name, "/"), "/") {
		if segment == "" || len(segment) > longestSegment || strings.ContainsFunc(segment, notInAddress) {
			return false
		}
	}
	return true
}

// notInAddress reports whether r may not stand in an address.
func notInAddress(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._~+@-", r)
}
