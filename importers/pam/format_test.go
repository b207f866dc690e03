package pam_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/pam"
)

func TestVectors(t *testing.T) { importtest.Run(t, pam.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, pam.Format(), "memory-store.json", "testdata") }

func TestStrict(t *testing.T) {
	opt := importtest.Options()
	opt.Strict = true
	for text, want := range map[string][]string{
		vector(t, "memory-hash.txtar"):  {"/memories/0/content_hash"},
		vector(t, "memory-types.txtar"): {"/memories/5/x_more"},
	} {
		src := importtest.File("x.json", text)
		var got []string
		if err := pam.Format().Validate(src, opt, func(p *codec.ParseError) { got = append(got, p.Path) }); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if _, _, err := importtest.Read(pam.Format(), src, opt); err != nil {
			t.Errorf("reading refuses it: %v", err)
		}
	}
}
