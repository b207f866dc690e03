package mif_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/mif"
	"github.com/satchel-memory/satchel/memory"
)

const document = `{"mif_version":"2.0","memories":[{"id":"m1","content":"Prefers oak","created_at":"2026-02-03T10:00:00Z","updated_at":"2026-02-04T10:00:00Z",` +
	`"source":{"session_id":"s","agent_name":"planner"}}],"knowledge_graph":{"entities":[{"id":"e1","name":"oak"},{"id":"e2","name":"park"}],` +
	`"relationships":[{"id":"r1","source_entity_id":"e1","target_entity_id":"e2","relation_type":"grows_in","created_at":"2026-02-01T00:00:00Z","invalidated_at":"2026-03-01T00:00:00Z"}]}}`

func TestVectors(t *testing.T) { importtest.Run(t, mif.Format(), "testdata") }

func TestDeclared(t *testing.T) { importtest.Declared(t, mif.Format(), "testdata") }

func TestFormat(t *testing.T) {
	codectest.Run(t, mif.Format(), codectest.Document{Name: "document", Data: []byte(document)})
}

func FuzzRead(f *testing.F) { importtest.Fuzz(f, mif.Format(), "x.mif.json", "testdata") }

func TestScopeAndTimes(t *testing.T) {
	records, _, err := importtest.Check(t, mif.Format(), importtest.File("x.json", document), importtest.Options())
	if err != nil || len(records) != 4 {
		t.Fatal(len(records), err)
	}
	first, last := records[0], records[3]
	if first.Scope.Agent != "planner" || first.Scope.Session != "s" || first.Time.Observed.Format(time.DateOnly) != "2026-02-04" {
		t.Errorf("scope %+v, times %+v", first.Scope, first.Time)
	}
	if last.Time.ValidTo.Format(time.DateOnly) != "2026-03-01" || !last.Time.ValidFrom.IsZero() {
		t.Errorf("times %+v", last.Time)
	}
	if p := first.Provenance.Source.Provider; p != "mif" {
		t.Errorf("provider %q", p)
	}
}

func TestDates(t *testing.T) {
	importtest.NeedsOwnerAndDate(t, mif.Format(), importtest.File("x.json", document), "MIF-6")
}

func TestValidateReportsEverything(t *testing.T) {
	text := `{"mif_version":"2.0","memories":[1,{"id":"","content":2,"created_at":"x"}],"knowledge_graph":{"entities":[{}]}}`
	got := importtest.Violations(t, mif.Format(), importtest.File("x.json", text), importtest.Options())
	want := []string{"MIF-3 /memories/0", "MIF-3 /memories/1/id", "MIF-3 /memories/1/content", "MIF-3 /memories/1/created_at", "MIF-4 /knowledge_graph/entities/0/id", "MIF-4 /knowledge_graph/entities/0/name"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
}

func TestDetect(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"a document":      {document, codec.Certain},
		"a long one":      {strings.Replace(document, "oak", strings.Repeat("o", 100_000), 1), codec.Likely},
		"another edition": {`{"mif_version":"1.0","memories":[]}`, codec.Possible},
		"memories only":   {`{"memories":[{"id":"a","content":"b"}]}`, codec.No},
		"a list":          {"[" + document + "]", codec.No},
		"nothing":         {"", codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mif.Format().Detect(importtest.File("x.json", test.text)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if got := mif.Format().Detect(importtest.Folder("f", map[string]string{"x.mif.json": document})); got != codec.No {
		t.Errorf("a folder: got %v", got)
	}
}

func TestShared(t *testing.T) {
	src := importtest.Shared(t, "data/formats/mif-v2/full.mif.json")
	records, losses, err := importtest.Check(t, mif.Format(), src, importtest.Options())
	if err != nil || mif.Format().Detect(src) != codec.Certain {
		t.Fatal(err)
	}
	kinds := map[memory.Kind]int{}
	for _, r := range records {
		kinds[r.Kind]++
	}
	if diff := cmp.Diff(map[memory.Kind]int{memory.Semantic: 6}, kinds); diff != "" || records[0].Provenance.Source.Provider != "shodh-memory" {
		t.Errorf("kinds differ (-want +got):\n%s", diff)
	}
	if len(losses) != 4 {
		t.Errorf("losses %v", losses)
	}
}
