package memories

import (
	"slices"
	"testing"
)

func TestWordsNear(t *testing.T) {
	texts := []string{"The user drinks matcha", "matches are wet", "matcha again"}
	if got, want := wordsNear([]string{"motcha", "usr", "tea"}, texts), []string{"matcha", "user"}; !slices.Equal(got, want) {
		t.Errorf("near are %q, want %q", got, want)
	}
}
