package codec

import (
	"slices"
	"strings"
)

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
