package gemini_test

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/gemini"
	"github.com/satchel-memory/satchel/importers/importtest"
)

const talk = `[
 {"header":"Gemini Apps","title":"Prompted and wide","time":"2026-05-01T10:05:00Z","products":["Gemini Apps"],"titleUrl":"https://gemini.google.com/app/w-1","safeHtmlItem":[{"html":"One metre."}]},
 {"header":"Gemini Apps","title":"Prompted other","time":"2026-05-01T10:03:00Z","products":["Gemini Apps"]},
 {"header":"Gemini Apps","title":"Prompted how deep","time":"2026-05-01T10:00:00Z","products":["Gemini Apps"],"titleUrl":"https://gemini.google.com/app/w-1","safeHtmlItem":[{"html":"Ten metres."}]}]`

// Conversations are read turn by turn; activities that stand alone are named by their time.
func TestOpen(t *testing.T) {
	r, err := gemini.Shape().Open(importtest.File("MyActivity.json", talk), codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c.ID)
		for _, turn := range c.Turns {
			got = append(got, string(turn.Author)+": "+turn.Text)
		}
	}
	want := []string{"w-1", "user: how deep", "assistant: Ten metres.", "user: and wide", "assistant: One metre.", "2026-05-01T10:03:00Z", "user: other"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// stream is a folder with files that can only be read in one go, like those of an archive.
type stream struct{ fstest.MapFS }

// Open implements [fs.FS].
func (s stream) Open(name string) (fs.File, error) {
	f, err := s.MapFS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".json") {
		return f, err
	}
	return struct{ fs.File }{f}, nil
}

// Files without random access are copied to a spool, and give the same records.
func TestStream(t *testing.T) {
	files := map[string]string{"MyActivity.json": talk}
	want, _, err := importtest.Read(gemini.Format(), importtest.Folder("x", files), importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	src := importtest.Folder("x", files)
	src.Tree = stream{src.Tree.(fstest.MapFS)}
	got, _, err := importtest.Check(t, gemini.Format(), src, importtest.Options())
	if diff := cmp.Diff(want, got); diff != "" || err != nil || len(got) != 4 {
		t.Errorf("%v: %s", err, diff)
	}
}

func TestShared(t *testing.T) {
	records, _, err := importtest.Check(t, gemini.Format(), importtest.Shared(t, "data/formats/gemini-takeout"), importtest.Options())
	if err != nil || len(records) != 1 || records[0].Body.Text != "User: best way to store agent memory\n\nAssistant: Use SQLite." {
		t.Errorf("%+v, %v", records, err)
	}
}

// spool counts down when it is closed.
type spool struct {
	codec.Spool
	open *int
}

// Close implements [io.Closer].
func (s spool) Close() error {
	*s.open--
	return s.Spool.Close()
}

// Spools are closed, also when a later file is refused.
func TestSpoolsAreClosed(t *testing.T) {
	open, most := 0, 0
	opt := importtest.Options()
	opt.Limits.Records = 4
	opt.Spool = func() (codec.Spool, error) {
		open++
		most = max(most, open)
		s, err := codec.Options{}.NewSpool()
		return spool{s, &open}, err
	}
	tree := stream{fstest.MapFS{"a/MyActivity.json": {Data: []byte(talk)}, "b/MyActivity.json": {Data: []byte(talk)}}}
	_, _, err := importtest.Read(gemini.Format(), codec.Source{Name: "takeout", Tree: tree, Modified: importtest.Modified()}, opt)
	importtest.Breaks(t, err, "GEMINI-3")
	if most == 0 || open != 0 {
		t.Errorf("%d of %d spools are open", open, most)
	}
}
