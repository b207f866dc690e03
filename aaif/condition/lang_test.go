package condition_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
)

// A condition without a language is told what it lacks, not of what type that is.
func TestNoLanguage(t *testing.T) {
	for text, want := range map[string]string{
		`{"nl":"it is late"}`:           "there is no lang",
		`{"expr":"late"}`:               "there is no lang",
		`{"lang":5,"expr":"late"}`:      "lang is a string",
		`{"lang":"cel","nl":5}`:         "nl is a string",
		`{"lang":"cel","nl":"it is 5"}`: "there is no expression",
	} {
		if _, err := condition.Read(value(t, text), "/c"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("AAIF-5-2: %s: %v, want %q", text, err, want)
		}
	}
}
