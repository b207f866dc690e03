package ump_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// seeds calls add with a member of every vector of a group.
func seeds[V any](f *testing.F, group string, add func(v V)) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", group, "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no vectors in testdata/%s (%v)", group, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var v V
		if err := json.Unmarshal(data, &v); err != nil {
			f.Fatal(err)
		}
		add(v)
	}
}

// FuzzDecode: what is accepted is written again as the same canonical bytes,
// and every way of reading agrees.
func FuzzDecode(f *testing.F) {
	seeds(f, "record", func(v recordVector) {
		if v.Text != nil {
			f.Add([]byte(*v.Text))
		}
		f.Add([]byte(v.Input))
	})
	seeds(f, "signed", func(v signedVector) { f.Add([]byte(v.Record)) })
	f.Fuzz(func(t *testing.T, data []byte) {
		found := ump.Violations(data, codec.Options{Strict: true})
		_, _ = ump.DecodeDraft(data, codec.Options{Owner: ownerDID})
		r, err := ump.Decode(data, codec.Options{})
		if err != nil {
			if len(found) == 0 || memory.KindOf(err) == memory.Internal {
				t.Fatalf("%v, but Violations finds %v", err, found)
			}
			return
		}
		again, err := ump.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		if canonical(t, again) != canonical(t, data) {
			t.Fatalf("%s became %s", data, again)
		}
		r.Origin = nil // what the members say, without the document
		fresh, err := ump.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ump.Decode(fresh, codec.Options{})
		if err != nil {
			t.Fatalf("%v in %s", err, fresh)
		}
		back.Origin = nil
		if twice, err := ump.Encode(back); err != nil || string(twice) != string(fresh) {
			t.Fatalf("%s became %s (%v)", fresh, twice, err)
		}
	})
}

// FuzzMarkdown: what is accepted is written as a file that says the same, and
// that file is written again byte for byte.
func FuzzMarkdown(f *testing.F) {
	seeds(f, "markdown", func(v struct{ Lines []string }) { f.Add(strings.Join(v.Lines, "\n")) })
	for _, text := range awkward {
		f.Add("---\nump: \"0.1\"\nid: urn:ump:a\nkind: semantic\nscope: {owner: o}\ntime: {created: 2026-06-04T10:00:00Z}\n---\n\n" + text + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		md := ump.MarkdownFormat()
		opt := codec.Options{Owner: ownerDID}
		src := fileOf(text)
		src.Modified = birthTime
		got, losses, err := readAll(t, md, src, opt)
		if err != nil {
			if memory.KindOf(err) == memory.Internal {
				t.Fatalf("refused without a kind: %v", err)
			}
			return
		}
		r := got[0]
		if r.ID == "" {
			if r, err = ump.Author(r, nil); err != nil {
				t.Fatal(err)
			}
		}
		page := writeAll(t, md, opt, r)
		back, further, err := readAll(t, md, fileOf(page), codec.Options{})
		if err != nil || len(further) > 0 {
			t.Fatalf("%v, %v, %v\n%s", losses, further, err, page)
		}
		if canonical(t, back[0].Origin) != canonical(t, r.Origin) {
			t.Fatalf("%s became %s", r.Origin, back[0].Origin)
		}
		if again := writeAll(t, md, opt, back[0]); again != page {
			t.Fatalf("%q became %q", page, again)
		}
	})
}

// FuzzPath: what is accepted has one spelling, which says the same, and
// redacting by it never lets what must stay go.
func FuzzPath(f *testing.F) {
	seeds(f, "path", func(v struct{ Path string }) { f.Add(v.Path) })
	r := mustDecode(f, vaultNote)
	f.Fuzz(func(t *testing.T, path string) {
		p, err := ump.ParsePath(path)
		if err != nil {
			return
		}
		again, err := ump.ParsePath(p.String())
		if err != nil || again.String() != p.String() || again.Redactable() != p.Redactable() {
			t.Fatalf("%q is spelled %q, which is %q (%v)", path, p, again, err)
		}
		other := r
		other.Consent = &memory.Consent{Redact: []string{path}}
		other.Origin = nil
		copied, err := ump.Redact(other, nil)
		if (err == nil) != p.Redactable() {
			t.Fatalf("%q: redactable is %t, but Redact says %v", path, p.Redactable(), err)
		}
		if err != nil {
			return
		}
		back, err := ump.Decode(copied.Current, codec.Options{})
		if err != nil || back.ID != r.ID || back.Scope.Owner != r.Scope.Owner || !back.Time.Created.Equal(r.Time.Created) {
			t.Fatalf("%q leaves %s (%v)", path, copied.Current, err)
		}
	})
}

// FuzzDuration: what is accepted has one spelling, which lasts as long.
func FuzzDuration(f *testing.F) {
	seeds(f, "duration", func(v struct{ Duration string }) { f.Add(v.Duration) })
	f.Fuzz(func(t *testing.T, s string) {
		d, err := memory.ParseDuration(s)
		if err != nil {
			return
		}
		again, err := memory.ParseDuration(d.String())
		if err != nil || again.String() != d.String() || !again.After(birthTime).Equal(d.After(birthTime)) {
			t.Fatalf("%q is spelled %q, which is %q (%v)", s, d, again, err)
		}
		if d.After(birthTime).Before(birthTime) {
			t.Fatalf("%q after %s is %s", s, birthTime, d.After(birthTime))
		}
	})
}
