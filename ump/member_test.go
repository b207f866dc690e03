package ump_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/ump"
)

func TestMembers(t *testing.T) {
	got := ump.Members()
	for _, want := range []string{"/ump", "/body", "/body/text", "/scope/visibility", "/time/valid_to", "/consent/redact", "/provenance/evidence"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, other := range []string{"/visibility", "/body/structured/x", "/scope/scope"} {
		if slices.Contains(got, other) {
			t.Errorf("%s is named", other)
		}
	}
}
