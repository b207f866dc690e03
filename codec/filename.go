package codec

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Portable reports whether every common system allows each name of a path, which are parted
// by slashes. Windows allows the fewest names.
func Portable(path string) bool {
	if !utf8.ValidString(path) || strings.ContainsAny(path, `<>:"\|?*`) || strings.ContainsFunc(path, unicode.IsControl) {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") || Reserved(name) != "" {
			return false
		}
	}
	return true
}

// Reserved returns the beginning of a file name that Windows takes for a device, whatever
// follows its first dot; empty: the name is free on every system.
func Reserved(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.TrimRight(stem, " ")
	device := strings.ToUpper(stem)
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}, device) {
		return stem
	}
	number, numbered := strings.CutPrefix(device, "COM")
	if !numbered {
		number, numbered = strings.CutPrefix(device, "LPT")
	}
	if numbered && slices.Contains(strings.Split("0123456789¹²³", ""), number) {
		return stem
	}
	return ""
}
