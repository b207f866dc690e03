package importtest

import (
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

// Declared requires that the format declares every loss seen, in reading the vectors and
// among the given, and that every declared loss was seen.
func Declared(t *testing.T, format codec.Format, dir string, given ...codec.Loss) {
	t.Helper()
	for _, v := range Load(t, dir) {
		if v.Accepted() {
			_, losses, err := Read(format, v.Source, v.Options)
			if err != nil {
				t.Errorf("%s: %v", v.path, err)
			}
			given = append(given, losses...)
		}
	}
	for _, l := range given {
		if !format.Declared.Covers(l) {
			t.Errorf("a loss is not declared: %s", l.Reason)
		}
	}
	for _, words := range append(format.Declared.Reading[:len(format.Declared.Reading):len(format.Declared.Reading)], format.Declared.Writing...) {
		one := codec.Declared{Reading: []string{words}}
		seen := false
		for _, l := range given {
			seen = seen || one.Covers(l)
		}
		if !seen {
			t.Errorf("a declared loss never happens: %s", words)
		}
	}
}
