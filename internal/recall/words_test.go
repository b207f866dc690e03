package recall_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/recall"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"What does the user drink?":  {"user", "drink"},
		"Matcha or matcha lives":     {"matcha", "lives"},
		"the and":                    {"the", "and"},
		"parseURL in internal/vault": {"parse", "url", "internal", "vault"},
		"?!":                         nil,
	} {
		if got := recall.Words(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
