package mcpmemoryservice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/mcpmemoryservice"
)

func TestVectors(t *testing.T) { importtest.Run(t, mcpmemoryservice.Format(), "testdata") }

func TestDeclared(t *testing.T) { importtest.Declared(t, mcpmemoryservice.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, mcpmemoryservice.Format(), "export.json", "testdata") }

func TestOwnerAndDate(t *testing.T) {
	undated := importtest.File("export.json", `{"memories":[{"content":"a"}]}`)
	undated.Modified = time.Time{}
	importtest.NeedsOwnerAndDate(t, mcpmemoryservice.Format(), undated, "MCPMEMSV-6")
	records, _, err := importtest.Check(t, mcpmemoryservice.Format(), undated, importtest.Options())
	if err != nil || !records[0].Time.Created.Equal(importtest.Options().Now()) {
		t.Errorf("got %v, %v", records, err)
	}
}

func TestValidateReportsEverything(t *testing.T) {
	opt := importtest.Options()
	opt.Strict = true
	text := `{"memories":[{"content":1,"created_at":"x"},{"content":"a","more":1},[]]}`
	want := []string{"MCPMEMSV-2 /memories/0/content", "MCPMEMSV-4 /memories/0/created_at", "MCPMEMSV-2 /memories/1/more", "MCPMEMSV-2 /memories/2"}
	if diff := cmp.Diff(want, importtest.Violations(t, mcpmemoryservice.Format(), importtest.File("export.json", text), opt)); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
	if _, _, err := importtest.Read(mcpmemoryservice.Format(), importtest.File("export.json", `{"memories":[{"content":"a","more":1}]}`), opt); err != nil {
		t.Errorf("reading is strict, too: %v", err)
	}
}

func TestDetect(t *testing.T) {
	long := strings.Repeat("c", 100_000)
	for name, test := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"an export":               {`{"export_metadata":{"source_machine":"x"},"memories":[]}`, codec.Likely},
		"a long export":           {`{"export_metadata":{"exporter_version":"1"},"memories":[{"content":"` + long, codec.Likely},
		"an answer":               {`{"memories":[{"content":"a","content_hash":"b","memory_type":null}]}`, codec.Possible},
		"memories of others":      {`{"memories":[{"content":"a","id":"b","tags":[]}]}`, codec.No},
		"a store of others":       {`{"schema":"x","memories":[{"content":"a","content_hash":"b","tags":[]}]}`, codec.No},
		"an export of others":     {`{"export_metadata":{},"memories":[]}`, codec.No},
		"a list":                  {`[{"content":"a","content_hash":"b","tags":[]}]`, codec.No},
		"nothing":                 {``, codec.No},
		"words":                   {`content_hash memories`, codec.No},
		"an object without names": {`{}`, codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mcpmemoryservice.Format().Detect(importtest.File("export.json", test.text)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestShared(t *testing.T) {
	src := importtest.Shared(t, "data/formats/mcp-memory-service/memory_export_template.json")
	if got := mcpmemoryservice.Format().Detect(src); got != codec.Likely {
		t.Errorf("detected as %v", got)
	}
	records, _, err := importtest.Check(t, mcpmemoryservice.Format(), src, importtest.Options())
	if err != nil || len(records) != 3 || records[1].Time.Created.Format(time.RFC3339) != "2023-08-21T16:10:00Z" {
		t.Errorf("got %+v, %v", records, err)
	}
}
