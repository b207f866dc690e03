package arch

import (
	"slices"
	"testing"
)

func TestIndexedFormats(t *testing.T) {
	for format, want := range map[string][]int{
		"%s/ump, %[1]s/mcp%s, %[1]s/v1; the token is in %s": {3}, // the last verb takes argument 2 again
		"serving %[1]s/ump, %[1]s/mcp%[2]s: %[3]s":          nil,
		"%[2]d%% of %[1]q, %5.2[3]f":                        nil,
		"%[3]s %[1]s":                                       {2},
	} {
		if got := unused(format, 3); !slices.Equal(got, want) {
			t.Errorf("%q leaves out %v, want %v", format, got, want)
		}
	}
	files := sound()
	files["ump/say.go"] = "package ump\n\nfunc say(string, ...any) {}\n\nfunc f() { say(\"%s and %[1]s\"+\" and %s\", 1, 2, 3) }\n"
	packages, libraries := soundTables()
	found := check(t, files, packages, libraries)
	if len(found) != 1 || found[0].Rule != Formats || found[0].Line != 5 {
		t.Errorf("found %v, want one slip in line 5", found)
	}
}
