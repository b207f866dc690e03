package claudecode_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/claudecode"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/memory"
)

// The writer does not overwrite a note that somebody edited, on either side.
func TestEdits(t *testing.T) {
	r := record(memory.Procedural, "Use tabs.")
	r.Relations = []memory.Relation{{Type: memory.About, Target: "entity:tabs"}}
	t.Run("in the store", func(t *testing.T) {
		files := importtest.Files{}
		into(t, files, r)
		changed := r
		changed.Body.Text = "Use spaces."
		into(t, files, changed)
		if text := files["tabs.md"]; !strings.Contains(text, "\nUse spaces.\n") || len(files) != 2 {
			t.Errorf("got %q", files)
		}
	})
	t.Run("of an imported note", func(t *testing.T) {
		before := "---\nname: tabs\ndescription: how to indent\ntype: feedback\nsince: 2025\n---\nUse tabs.\n"
		records, _, err := importtest.Read(claudecode.Format(), importtest.File("tabs.md", before), importtest.Options())
		if err != nil {
			t.Fatal(err)
		}
		records[0].Body.Text = "Use spaces.\n\nAbout: how to indent"
		files := importtest.Files{}
		into(t, files, records...)
		if text := files["tabs.md"]; !strings.Contains(text, "\ndescription: how to indent\ntype: feedback\nsince: 2025\n") || !strings.Contains(text, "\n---\nUse spaces.\n") {
			t.Errorf("got %q", text)
		}
		files = importtest.Files{"tabs.md": before}
		if losses := into(t, files, records...); files["tabs.md"] != before || len(files) != 2 || len(reasons(losses, "")) != 1 {
			t.Errorf("got %q, %v", files, losses)
		}
	})
	t.Run("in the folder", func(t *testing.T) {
		files := importtest.Files{}
		r := record(memory.Procedural, "Use tabs.")
		into(t, files, r)
		name := made(t, importtest.Files{}, files)
		files[name] += "And no spaces.\n"
		want := files[name]
		losses := into(t, files, r)
		if files[name] != want || len(files) != 2 || !slices.Equal(reasons(losses, ""), []string{"a note of this name is there which says something else: it is left alone; import or remove it first"}) {
			t.Errorf("got %q, %v", files, losses)
		}
	})
}

// Any text comes back from a folder, apart from blank space around it and CR.
func TestWrittenNotesAreRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := importtest.Files{}
		want := map[string]bool{}
		var records []memory.Record
		for i := range rapid.IntRange(1, 4).Draw(rt, "records") {
			r := record(rapid.SampledFrom(memory.Kinds()).Draw(rt, "kind"), rapid.OneOf(rapid.String(), rapid.SampledFrom(awkward())).Draw(rt, "text"))
			r.ID = memory.ID("urn:ump:r" + string(rune('a'+i)))
			records = append(records, r)
		}
		losses := into(t, files, records...)
		for _, r := range records {
			if !slices.ContainsFunc(losses, func(l codec.Loss) bool { return l.ID == r.ID && (l.Pointer == "" || l.Pointer == "/body/text") }) {
				want[r.Body.Text] = true
			}
		}
		read, _, err := importtest.Read(claudecode.Format(), files.Source(), importtest.Options())
		if err != nil {
			rt.Fatalf("%v of %q", err, files)
		}
		for _, r := range read {
			delete(want, r.Body.Text)
		}
		if len(want) > 0 || len(read) > len(records) {
			rt.Fatalf("%v did not come back from %q", slices.Collect(maps.Keys(want)), files)
		}
	})
}

func awkward() []string {
	return []string{
		"---\nname: x\n---\ny", "---", "a\n\nAbout: a", "# a\n- b", "[[link]] and [x](y.md)", "<!-- a -->", "a\r\nb", "- [A](b.md) — c",
		"```\nopen", "\ufeffmark", "nul \x00", "\u2028", "|", "> x", "'", "\"", "null", "a: b", "@x", " ", "ends\n", strings.Repeat("é", 3000), "[erased]",
	}
}

func TestLargeNote(t *testing.T) {
	files := importtest.Files{}
	start := time.Now()
	into(t, files, record(memory.Semantic, strings.Repeat("word ", 1<<20/5)))
	if len(files) != 2 || time.Since(start) > 10*time.Second {
		t.Errorf("%d files", len(files))
	}
	r := record(memory.Semantic, strings.Repeat("w", 1<<20+1))
	if losses := into(t, importtest.Files{}, r); len(reasons(losses, "")) != 1 {
		t.Errorf("losses of what is too long: %v", losses)
	}
}
