package formats_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/formats"
)

// lists returns the lists of losses in docs/mapping.md, by their heading.
func lists(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../docs/mapping.md")
	if err != nil {
		t.Fatal(err)
	}
	found, heading := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			heading, _ = strings.CutPrefix(line, "## What is lost ")
			if strings.HasPrefix(heading, "#") {
				heading = ""
			}
		}
		if item, ok := strings.CutPrefix(line, "- "); ok && heading != "" {
			found[heading] = append(found[heading], item)
		}
	}
	return found
}

// TestMapping compares the losses that every format declares with the lists of
// docs/mapping.md.
func TestMapping(t *testing.T) {
	listed := lists(t)
	declared := map[string]bool{}
	for _, f := range formats.All() {
		var words []string
		for _, one := range slices.Concat(f.Declared.Reading, f.Declared.Writing) {
			if !slices.Contains(words, one) {
				words = append(words, one)
			}
		}
		if len(words) == 0 {
			t.Errorf("%s declares no losses", f.Name)
			continue
		}
		slices.Sort(words)
		best, most := "", -1
		for heading, items := range listed {
			n := 0
			for _, item := range items {
				if slices.Contains(words, item) {
					n++
				}
			}
			if n > most || n == most && len(items) < len(listed[best]) {
				best, most = heading, n
			}
		}
		declared[best] = true
		items := slices.Sorted(slices.Values(listed[best]))
		if f.Name == "ump" { // its Markdown loses data in more ways, and shares the list
			items = slices.DeleteFunc(items, func(item string) bool { return !slices.Contains(words, item) })
		}
		if diff := cmp.Diff(words, items); diff != "" {
			t.Errorf("%s declares other losses than docs/mapping.md lists under %q (-declared +listed):\n%s", f.Name, best, diff)
		}
	}
	for heading := range listed {
		if !declared[heading] {
			t.Errorf("docs/mapping.md lists losses %s, which no format declares", heading)
		}
	}
}
