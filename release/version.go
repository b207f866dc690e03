package main

import (
	"regexp"
	"strings"
)

// semantic matches the versions that packages take, after a v.
var semantic = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// packageVersion makes a version for packages out of a tag such as v1.2.3 or v1.2.3-rc.1. A revision
// without a tag is no release: it becomes version 0.0.0 with the revision behind it, so that every
// release is newer.
func packageVersion(stamp string) string {
	if v := strings.TrimPrefix(stamp, "v"); semantic.MatchString(v) {
		return v
	}
	return "0.0.0-g" + strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' {
			return c
		}
		return '-'
	}, stamp)
}
