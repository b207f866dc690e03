package aicf_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aicf"
)

func TestWritingAndReadingAreInverse(t *testing.T) {
	t.Run("AICF-WRITE-8 the model survives, and so do the bytes", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			c := contents(rt, awkward)
			first := encode(t, c, aicf.WriteOptions{})
			again := read(t, first)
			if d := diff(again.Entries, c.Entries); d != "" {
				rt.Fatalf("read otherwise (-want +got):\n%s\n%s", d, first)
			}
			for _, o := range []aicf.WriteOptions{{}, {Preserve: true}} {
				if second := encode(t, again, o); !bytes.Equal(second, first) {
					rt.Fatalf("%+v: written again otherwise:\n%s\nwas\n%s", o, second, first)
				}
			}
		})
	})
	t.Run("AICF-WRITE-9 the same model gives the same bytes", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			c := contents(rt, awkward)
			if !bytes.Equal(encode(t, c, aicf.WriteOptions{}), encode(t, c, aicf.WriteOptions{})) {
				rt.Fatal("two writings differ")
			}
		})
	})
}

func TestWhatIsWrittenIsValid(t *testing.T) {
	for _, version := range []aicf.Version{aicf.V31, aicf.V30} {
		t.Run("AICF-WRITE-1 strict validation passes, version "+version.String(), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				out := encode(t, contents(rt, plainRunes), aicf.WriteOptions{Version: version})
				findings, err := aicf.Validate(out, aicf.Options{Strict: true})
				if err != nil {
					rt.Fatal(err)
				}
				for _, f := range findings {
					if f.Severity != aicf.Notice {
						rt.Fatalf("%s\n%s", f, out)
					}
				}
			})
		})
	}
}

// FuzzCanonical holds whatever is read to this: it has a canonical form, or is refused,
// and that form is its own.
func FuzzCanonical(f *testing.F) {
	for _, data := range files(f) {
		f.Add(data)
	}
	f.Add([]byte(small))
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := aicf.Parse(data, aicf.Options{})
		if err != nil {
			return
		}
		c, _ := aicf.Read(parsed, aicf.Options{})
		first, _, err := aicf.Encode(c, aicf.WriteOptions{})
		if err != nil {
			return
		}
		second, _, err := aicf.Encode(read(t, first), aicf.WriteOptions{})
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%v; from\n%q\nfirst\n%q\nthen\n%q", err, data, first, second)
		}
	})
}
