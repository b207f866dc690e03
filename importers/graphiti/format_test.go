package graphiti_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/graphiti"
	"github.com/satchel-memory/satchel/importers/importtest"
)

const document = `{"edges":[{"uuid":"f1","source_node_uuid":"n1","target_node_uuid":"n2","fact":"Mara lives in Porto","created_at":"2026-02-03T10:00:00Z",` +
	`"valid_at":"2026-02-01T00:00:00Z","invalid_at":"2026-03-01T00:00:00Z","expired_at":"2026-03-02T00:00:00Z","episodes":["e1"]},` +
	`{"uuid":"f2","source_node_uuid":"n1","target_node_uuid":"n2","fact":"Mara saws","created_at":"2026-02-03T10:00:00Z","expired_at":"2026-03-02T00:00:00Z"}],` +
	`"episodes":[{"uuid":"e1","content":"I moved","source_description":"chat","valid_at":"2026-02-01T00:00:00Z","thread_id":"t1"}]}`

func TestVectors(t *testing.T) { importtest.Run(t, graphiti.Format(), "testdata") }

func TestDeclared(t *testing.T) { importtest.Declared(t, graphiti.Format(), "testdata") }

func TestFormat(t *testing.T) {
	codectest.Run(t, graphiti.Format(), codectest.Document{Name: "document", Data: []byte(document)})
}

func FuzzRead(f *testing.F) { importtest.Fuzz(f, graphiti.Format(), "graph.json", "testdata") }

func TestTimesAndPlaces(t *testing.T) {
	records, losses, err := importtest.Check(t, graphiti.Format(), importtest.File("x.json", document), importtest.Options())
	if err != nil || len(records) != 3 || len(losses) != 0 {
		t.Fatal(len(records), losses, err)
	}
	day := func(at time.Time) string {
		if at.IsZero() {
			return "-"
		}
		return at.Format("01-02")
	}
	for i, want := range []string{"02-01 03-01", "- 03-02", "02-01 -"} {
		if got := day(records[i].Time.ValidFrom) + " " + day(records[i].Time.ValidTo); got != want {
			t.Errorf("record %d is valid %s, want %s", i, got, want)
		}
	}
	if e := records[0].Provenance.Evidence; len(e) != 1 || e[0].Ref != records[2].Provenance.Source.Ref || e[0].Weight != nil {
		t.Errorf("evidence %v", e)
	}
	if s := records[2].Scope.Session; s != "t1" {
		t.Errorf("session %q", s)
	}
}

func TestDates(t *testing.T) {
	importtest.NeedsOwnerAndDate(t, graphiti.Format(), importtest.File("x.json", document), "GRAPHITI-7")
}

func TestValidateReportsEverything(t *testing.T) {
	text := `{"facts":[{"uuid":"","fact":"a","source_node_uuid":null}],"nodes":[1,{"uuid":"a","name":3}]}`
	got := importtest.Violations(t, graphiti.Format(), importtest.File("x.json", text), importtest.Options())
	want := []string{"GRAPHITI-2 /facts/0/uuid", "GRAPHITI-3 /facts/0/source_node_uuid", "GRAPHITI-3 /facts/0/target_node_uuid", "GRAPHITI-2 /nodes/0", "GRAPHITI-4 /nodes/1/name"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
}

func TestDetect(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"a dump":            {document, codec.Likely},
		"a list of facts":   {`[{"uuid":"a","fact":"b","valid_at":null}]`, codec.Likely},
		"a list of nodes":   {`[{"uuid_":"x","uuid":"a","labels":[],"summary":""}]`, codec.Likely},
		"a dump of nothing": {`{"nodes":[],"edges":[],"episodes":[]}`, codec.Likely},
		"another graph":     {`{"nodes":[],"edges":[]}`, codec.No},
		"words in a text":   {`{"text":"\"uuid\" \"fact\" \"valid_at\""}`, codec.No},
		"lines":             {"uuid fact valid_at", codec.No},
		"nothing":           {"", codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := graphiti.Format().Detect(importtest.File("x.json", test.text)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if got := graphiti.Format().Detect(importtest.Folder("f", map[string]string{"graph.json": document})); got != codec.No {
		t.Errorf("a folder: got %v", got)
	}
}

func TestShared(t *testing.T) {
	src := importtest.Shared(t, "data/formats/graphiti-zep/graph.json")
	records, losses, err := importtest.Check(t, graphiti.Format(), src, importtest.Options())
	if err != nil || graphiti.Format().Detect(src) != codec.Likely {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records {
		got = append(got, r.Body.Text)
	}
	want := []string{"Sam: I moved from Paris to Hanoi", "Sam: A Go developer", "Paris (Location)", "Hanoi (Location)", "Sam lives in Paris", "Sam lives in Hanoi"}
	if diff := cmp.Diff(want, got); diff != "" || len(losses) != 0 {
		t.Errorf("texts differ (-want +got):\n%s%v", diff, losses)
	}
	if records[4].Time.ValidTo.IsZero() || !records[5].Time.ValidTo.IsZero() {
		t.Error("the move does not show in the times")
	}
}
