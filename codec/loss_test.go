package codec_test

import (
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

func TestDeclared(t *testing.T) {
	declared := codec.Declared{Reading: []string{"… parts that are no text"}, Writing: []string{"no place", "the key … and … are left out"}}
	for reason, want := range map[string]bool{
		"3 parts that are no text":         true,
		"3 parts that are no text at all":  false,
		"no place":                         true,
		"no place for it":                  false,
		"the key a and b are left out":     true,
		"the key a, and b is left out":     false,
		"the key and and and are left out": true,
		"the key a are left out":           false,
		"":                                 false,
	} {
		if got := declared.Covers(codec.Loss{Reason: reason}); got != want {
			t.Errorf("%q: %v", reason, got)
		}
	}
}
