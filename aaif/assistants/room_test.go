package assistants_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
)

// TestRoom: whoever is told of a loss on writing, the reader is told of one, too; and
// nobody of any where there is none.
func TestRoom(t *testing.T) {
	full := exchangetest.Sample(t)
	rapid.Check(t, func(t *rapid.T) {
		letter := rapid.SampledFrom([]string{"x", "é", "😀", "\"", "\\", "\n"}).Draw(t, "letter")
		list := canon.Array()
		for i := range rapid.IntRange(1, 24).Draw(t, "constraints") {
			list = list.WithItem(i, canon.String(fmt.Sprint(i)+strings.Repeat(letter, rapid.IntRange(1, 500).Draw(t, "length"))))
		}
		v := full.With("agent", full.Get("agent").With("constraints", list))
		if rapid.Bool().Draw(t, "signed") {
			v = v.With("provenance", v.Get("provenance").With("signature", canon.String(strings.Repeat("A", 86)+"==")))
		}
		a, lost, err := to(aaif.ReadDefinition(v))
		if err != nil {
			t.Fatal(err)
		}
		meta := a.Get("metadata")
		for _, m := range meta.Members() {
			if n := len([]rune(m.Value.Text())); n > 512 || meta.Len() > 16 {
				t.Fatalf("%s has %d characters, of %d pieces", m.Name, n, meta.Len())
			}
		}
		_, missing, err := from(a)
		if err != nil || (told(missing, "did not come along") != "") != (len(gone(lost)) > 0) {
			t.Fatalf("AAIF-3-4: %v\nlost %v\nread %v", err, gone(lost), missing)
		}
	})
}
