package canon_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/canon"
)

// TestSharedVectors recomputes published canonical forms that are kept outside
// the repository.
func TestSharedVectors(t *testing.T) {
	shared := os.Getenv("SATCHEL_SHARED")
	if shared == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	load := func(name string) canon.Value {
		data, err := os.ReadFile(filepath.Join(shared, "specs", "vectors", name))
		if err != nil {
			t.Fatal(err)
		}
		return mustParse(t, string(data))
	}
	numbers := load("ump-aimem-vectors.json").Get("jcs_numbers").Members()
	for _, m := range numbers {
		got, err := canon.Canonical([]byte(`{"w":`+m.Name+`}`), canon.Options{Inexact: true})
		if err != nil || string(got) != m.Value.Text() {
			t.Errorf("%s: got %s, %v; want %s", m.Name, got, err, m.Value.Text())
		}
	}
	records := load("ump-derived.json").Get("records").Items()
	for _, r := range records {
		want := r.Get("canonical_without_integrity").Text()
		if got := string(r.Get("record").Without("integrity").AppendCanonical(nil)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", r.Get("name").Text(), got, want)
		}
	}
	if len(numbers) == 0 || len(records) == 0 {
		t.Errorf("%d numbers and %d records", len(numbers), len(records))
	}
}
