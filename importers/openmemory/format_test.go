package openmemory_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/openmemory"
	"github.com/satchel-memory/satchel/memory"
)

func TestVectors(t *testing.T) { importtest.Run(t, openmemory.Format(), "testdata") }

func TestDeclared(t *testing.T) { importtest.Declared(t, openmemory.Format(), "testdata") }

func FuzzRead(f *testing.F) {
	for _, text := range importtest.Texts(f, "testdata") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := importtest.File("memories.json", text)
		openmemory.Format().Detect(src)
		importtest.Check(t, openmemory.Format(), src, importtest.Options())
		importtest.Check(t, openmemory.Format(), importtest.Folder("f", map[string]string{"memories.jsonl.gz": text}), importtest.Options())
	})
}

const line = `{"id":"m1","content":"Bakes rye bread","state":"active","app":"cursor","categories":["food"]}` + "\n"

func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.String()
}

func read(t *testing.T, src codec.Source, opt codec.Options) ([]memory.Record, error) {
	t.Helper()
	records, _, err := importtest.Check(t, openmemory.Format(), src, opt)
	return records, err
}

// Without the tables, the reader reads the packed lines.
func TestPackedLines(t *testing.T) {
	src := func(text string) codec.Source {
		return importtest.Folder("memories_export_lea", map[string]string{"memories.jsonl.gz": text})
	}
	whole := packed(t, line+strings.Replace(line, "m1", "m2", 1))
	if got := openmemory.Format().Detect(src(whole)); got != codec.Likely {
		t.Errorf("detected as %v", got)
	}
	records, err := read(t, src(whole), importtest.Options())
	if err != nil || len(records) != 2 || records[1].Provenance.Source.Ref != "openmemory/m2" || records[1].Scope.Agent != "cursor" {
		t.Errorf("got %+v, %v", records, err)
	}
	small := importtest.Options()
	small.Limits.Document = 150
	for name, test := range map[string]struct {
		text string
		opt  codec.Options
		rule string
	}{
		"not packed":          {line, importtest.Options(), "OPENMEM-1"},
		"cut short":           {whole[:len(whole)-6], importtest.Options(), "OPENMEM-1"},
		"packed, but no JSON": {packed(t, "s3cret"), importtest.Options(), "OPENMEM-1"},
		"more than may be":    {packed(t, strings.Repeat(line, 10)), small, "OPENMEM-6"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, src(test.text), test.opt)
			p, ok := errors.AsType[*codec.ParseError](err)
			if !ok || p.Rule != test.rule || p.File != "memories.jsonl.gz" {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The date when a memory was put away: its own, else that of the history, else that of its
// last change.
func TestPutAway(t *testing.T) {
	history := `,"status_history":[{"memory_id":"m","new_state":"archived","changed_at":"2025-06-03T00:00:00Z"},{"memory_id":"m","new_state":"paused","changed_at":"2025-06-05T00:00:00Z"},` +
		`{"memory_id":"m","new_state":"archived","changed_at":"2025-06-04T00:00:00Z"},{"memory_id":"m","new_state":"active"}]`
	for name, test := range map[string]struct{ state, rest, history, want string }{
		"active":                  {"active", `,"archived_at":"2025-06-09T00:00:00Z"`, history, "0001-01-01"},
		"archived":                {"archived", `,"archived_at":"2025-06-09T00:00:00Z","updated_at":"2025-06-08T00:00:00Z"`, history, "2025-06-09"},
		"by the history":          {"archived", `,"updated_at":"2025-06-08T00:00:00Z"`, history, "2025-06-04"},
		"paused by it":            {"paused", `,"archived_at":"2025-06-09T00:00:00Z"`, history, "2025-06-05"},
		"by the last change":      {"paused", `,"updated_at":"2025-06-08T00:00:00Z"`, "", "2025-06-08"},
		"nobody says when":        {"paused", ``, "", "2025-06-02"},
		"before it was made, say": {"archived", `,"archived_at":"2024-06-09T00:00:00Z"`, "", "2025-06-02"},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"memories":[{"id":"m","content":"x","state":"` + test.state + `","created_at":"2025-06-02T00:00:00Z"` + test.rest + `}]` + test.history + `}`
			records, err := read(t, importtest.File("memories.json", text), importtest.Options())
			if err != nil || records[0].Time.ValidTo.Format(time.DateOnly) != test.want {
				t.Errorf("got %+v, %v", records, err)
			}
		})
	}
}

func TestOwnerAndDate(t *testing.T) {
	importtest.NeedsOwnerAndDate(t, openmemory.Format(), importtest.File("memories.jsonl", line), "OPENMEM-7")
}

func TestDetect(t *testing.T) {
	tables := `{"user":{"user_id":"x"},"apps":[],"categories":[],"memories":[`
	for name, test := range map[string]struct {
		src  codec.Source
		want codec.Confidence
	}{
		"tables":             {importtest.File("x.json", tables), codec.Likely},
		"lines":              {importtest.File("x.json", line), codec.Likely},
		"a folder":           {importtest.Folder("x", map[string]string{"memories.json": tables}), codec.Likely},
		"a folder in one":    {importtest.Folder("x", map[string]string{"y/memories.json": tables}), codec.Likely},
		"two folders in one": {importtest.Folder("x", map[string]string{"y/memories.json": tables, "z/memories.json": tables}), codec.No},
		"a folder of others": {importtest.Folder("x", map[string]string{"memories.json": `{"memories":[]}`}), codec.No},
		"no archive":         {importtest.Folder("x", map[string]string{"memories.jsonl.gz": line}), codec.No},
		"memories of others": {importtest.File("x.json", `{"memories":[{"id":"a","content":"b"}]}`), codec.No},
		"lines of others":    {importtest.File("x.json", `{"id":"a","content":"b","state":"c"}`), codec.No},
		"a list":             {importtest.File("x.json", `[`+line+`]`), codec.No},
		"nothing":            {importtest.File("x.json", ``), codec.No},
		"an empty folder":    {codec.Source{Name: "x", Tree: fstest.MapFS{}}, codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := openmemory.Format().Detect(test.src); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// A folder on a disk is read like one in memory, and its files are closed.
func TestFolderOnDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/memories.jsonl", []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	src := codec.Source{Name: "x", Tree: os.DirFS(dir), Modified: importtest.Modified()}
	if records, err := read(t, src, importtest.Options()); err != nil || len(records) != 1 {
		t.Errorf("got %v, %v", records, err)
	}
	if err := os.Mkdir(dir+"/memories.json", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, src, importtest.Options()); err == nil {
		t.Error("a folder is read as a file")
	}
}

func TestShared(t *testing.T) {
	src := importtest.Shared(t, "data/formats/openmemory-mem0/memories.json")
	if got := openmemory.Format().Detect(src); got != codec.Likely {
		t.Errorf("detected as %v", got)
	}
	records, losses, err := importtest.Check(t, openmemory.Format(), src, importtest.Options())
	if err != nil || len(records) != 1 || records[0].Body.Text != "Uses pnpm" || records[0].Scope.Agent != "cursor" || len(losses) == 0 {
		t.Errorf("got %+v, %v, %v", records, losses, err)
	}
}
