package paste_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/paste"
	"github.com/satchel-memory/satchel/memory"
)

func TestSuite(t *testing.T) {
	codectest.Suite{
		Format: paste.Format(), FreeText: true,
		Exempt: map[string]string{"Name": "the sample stands in no section", "Items": "a list has no lists", "Depth": "and nothing nested"},
	}.Run(t)
}

func record(kind memory.Kind, text string, created time.Time) memory.Record {
	return memory.Record{
		Version: "0.1", Kind: kind, Body: memory.Body{Text: text}, Time: memory.Times{Created: created},
		Scope: memory.Scope{Owner: importtest.Options().Owner, Visibility: memory.Private},
	}
}

func write(t testing.TB, records ...memory.Record) (string, []codec.Loss) {
	t.Helper()
	return importtest.Write(t, paste.Format(), importtest.Options(), records...)
}

func reasons(losses []codec.Loss, pointer string) (list []string) {
	for _, l := range losses {
		if l.Pointer == pointer {
			list = append(list, l.Reason)
		}
	}
	return list
}

// A list in the requested form comes back byte for byte.
func TestListsComeBackAsTheyWere(t *testing.T) {
	for name, text := range map[string]string{
		"plain":    "```\n[2025-03-01] - Plays chess.\n[unknown] - Has a cat.\n[2025-03-02T10:00:00.5Z] - Likes tea.\n```\n",
		"sections": "```\n[2025-03-01] - First.\n## Instructions\n[March] - Short answers.\n## Identity\n[Unknown date] - Name: Ada\n## Projects: birds\n[2025-03-01] - An app.\n  It counts.\n```\n",
		"deep":     "`````\n[2025-03-01] - Build:\n  ````sh\n  make\n    # not a heading\n\n\n  [2025-01-01] - not an entry\n  - nor a bullet\n  ````\n`````\n",
		"empty":    "```\n```\n",
	} {
		t.Run(name, func(t *testing.T) {
			records, _, err := importtest.Check(t, paste.Format(), importtest.File("list.txt", text), importtest.Options())
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := write(t, records...); got != text {
				t.Errorf("got\n%s\nwant\n%s", got, text)
			}
		})
	}
}

func TestListFromElsewhere(t *testing.T) {
	day := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	text, losses := write(t,
		record(memory.Procedural, "Never add summaries.", day), record(memory.Semantic, "Likes tea.\n\n# Not a heading", day.Add(time.Hour)),
		record(memory.Identity, "Lives in Porto.", day), record(memory.Identity, "Name: Ada", day), record(memory.Episodic, "Met Bo.", day),
		record(memory.Semantic, "Older than any list.", time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC)))
	want := "```\n[2025-03-01T01:00:00Z] - Likes tea.\n\n  # Not a heading\n[2025-03-01] - Name: Ada\n[2025-03-01] - Met Bo.\n[unknown] - Older than any list.\n" +
		"## Instructions\n[2025-03-01] - Never add summaries.\n## Identity\n[2025-03-01] - Lives in Porto.\n```\n"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if len(reasons(losses, "/kind")) != 1 || len(reasons(losses, "/time/created")) != 1 {
		t.Errorf("losses are %v", losses)
	}
}

// A record's residue cannot break the list.
func TestHostileResidue(t *testing.T) {
	for _, residue := range []string{
		`{"section":"a\n[2020-01-01] - b"}`, `{"section":"` + "```" + `"}`, `{"section":" x "}`, `{"section":"Identity"}`, `{"section":7,"date":{}}`,
		`{"date":"a] - b"}`, `{"date":"2025-01-01"}`, `{"date":"a\nb"}`, `{"date":"` + strings.Repeat("x", 100) + `"}`, `{"section":"` + strings.Repeat("x", 5000) + `"}`,
	} {
		r := record(memory.Semantic, "Likes tea.", time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC))
		r.Body.Structured = []byte(`{"paste":` + residue + `}`)
		text, losses := write(t, r)
		records, _, err := importtest.Check(t, paste.Format(), importtest.File("list.txt", text), importtest.Options())
		if len(reasons(losses, "")) == 0 && (err != nil || len(records) != 1 || records[0].Body.Text != r.Body.Text || records[0].Kind != r.Kind) {
			t.Errorf("%s gives %q, which is read as %v, %v", residue, text, records, err)
		}
	}
}

// Any text comes back, apart from invisible blank space; kinds and dates do, too.
func TestWrittenListsAreRead(t *testing.T) {
	awkward := []string{"```\ncode\n```", "````", "a\n````\nb", "a\n[2025-01-01] - b", "a\n## b\n\n\nc", "- a\n- b", "[x] - y", ": a", "a\n  b\n\tc", "~~~\na", "a\r\nb", "a\rb", " a ", "a \nb", "a\n \nb", "\u2028", "nul \x00\nx", "You\n\nare"}
	rapid.Check(t, func(rt *rapid.T) {
		var records []memory.Record
		want := map[string]int{}
		for i := range rapid.IntRange(0, 4).Draw(rt, "records") {
			created := time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "created"), rapid.Int64Range(0, 999_999_999).Draw(rt, "nanoseconds")).UTC()
			r := record(rapid.SampledFrom(memory.Kinds()).Draw(rt, "kind"), rapid.OneOf(rapid.String(), rapid.SampledFrom(awkward)).Draw(rt, "text"), created)
			r.ID = memory.ID(fmt.Sprintf("urn:ump:r%d", i))
			records = append(records, r)
		}
		text, losses := write(t, records...)
		for _, l := range losses {
			if !paste.Format().Declared.Covers(l) {
				rt.Errorf("not declared: %v", l)
			}
		}
		key := func(r memory.Record) string { return fmt.Sprintf("%s %s %q", r.Kind, r.Time.Created, r.Body.Text) }
		for _, r := range records {
			if !slices.ContainsFunc(losses, func(l codec.Loss) bool {
				return l.ID == r.ID && slices.Contains([]string{"", "/kind", "/body/text", "/time/created"}, l.Pointer)
			}) {
				want[key(r)]++
			}
		}
		back, _, err := importtest.Read(paste.Format(), importtest.File("list.txt", text), importtest.Options())
		if err != nil {
			rt.Fatalf("%v of %q", err, text)
		}
		for _, r := range back {
			want[key(r)]--
		}
		for key, n := range want {
			if n > 0 {
				rt.Errorf("%s did not come back from %q", key, text)
			}
		}
	})
}

func TestDeclared(t *testing.T) {
	day := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	closed := record(memory.Semantic, "Was.", day)
	closed.Time.ValidTo = day
	_, losses := write(t, closed, record(memory.Semantic, " ", day), record(memory.Episodic, " Met Bo.", day.AddDate(-70, 0, 0)), record(memory.Semantic, strings.Repeat("x", 1<<20+1), day))
	importtest.Declared(t, paste.Format(), "testdata", losses...)
}
