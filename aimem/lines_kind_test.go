package aimem_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
)

// TestFirstLineKind: whatever _kind says on the first line of a stream, it is a tag and
// no member of the bundle (decision AD-21): the checksum is without it, and so is what
// is written again.
func TestFirstLineKind(t *testing.T) {
	const arrays = `,"chunks":[],"edges":[],"entities":[],"chunk_entities":[]`
	line := strings.Replace(sealed(t, bareEnvelope+arrays), arrays, "", 1)
	for _, first := range []string{"", `"_kind":"envelope",`, `"_kind":"mine",`, `"_kind":{"own":[1]},`} {
		b, err := aimem.Open(source("brain.aimem.ndjson", strings.Replace(line, "{", "{"+first, 1)+"\n"), aimem.Options{})
		if err != nil {
			t.Errorf("%s: %v", first, err)
			continue
		}
		if v := b.Envelope().Value; v.Has("_kind") || v.Has("x_kind") {
			t.Errorf("%s: kept is %s", first, v.Append(nil))
		}
		sum, err := aimem.Checksum(b)
		var again strings.Builder
		if err == nil {
			err = aimem.WriteStream(&again, b, sum)
		}
		if err != nil || sum != b.Checksum() || strings.Contains(again.String(), "_kind") {
			t.Errorf("%s: it leaves as %s with %s, %v", first, again.String(), sum, err)
		}
	}
}
