package mcpmemory_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/mcpmemory"
	"github.com/satchel-memory/satchel/memory"
)

const line = `{"type":"entity","name":"Ada","entityType":"person","observations":["plays chess"]}`

func TestVectors(t *testing.T) { importtest.Run(t, mcpmemory.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, mcpmemory.Format(), "memory.jsonl", "testdata") }

func read(t *testing.T, text string) ([]memory.Record, error) {
	t.Helper()
	records, _, err := importtest.Check(t, mcpmemory.Format(), importtest.File("memory.jsonl", text), importtest.Options())
	return records, err
}

func TestSpellingsOfLines(t *testing.T) {
	for name, text := range map[string]string{
		"no line end at the end": line + "\n" + line,
		"CR LF":                  line + "\r\n" + line + "\r\n",
		"byte order mark":        "\ufeff" + line + "\n" + line,
		"blank lines":            "\n \t\n" + line + "\n\n\n" + line + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			records, err := read(t, text)
			if err != nil || len(records) != 2 || records[1].Body.Text != "Ada: plays chess" {
				t.Errorf("got %d records, %v", len(records), err)
			}
		})
	}
	t.Run("nothing at all", func(t *testing.T) {
		if records, err := read(t, ""); err != nil || len(records) != 0 {
			t.Errorf("got %d records, %v", len(records), err)
		}
	})
	t.Run("invalid UTF-8", func(t *testing.T) {
		records, err := read(t, line+"\n"+strings.Replace(line, "chess", "\xff", 1))
		if err != nil || len(records) != 2 || records[1].Body.Text != "Ada: plays \ufffd" {
			t.Errorf("got %v, %v", records, err)
		}
	})
}

// A longer file gives its old records again, equal in all that merging compares.
func TestGrownFileRepeatsItsRecords(t *testing.T) {
	before := line + "\n" + `{"type":"relation","from":"Ada","to":"Porto","relationType":"lives in"}`
	after := `{"type":"entity","name":"Eve","entityType":"person","observations":[]}` + "\n" +
		strings.Replace(line, `chess"`, `chess","plays go"`, 1) + "\n" +
		`{"type":"relation","from":"Eve","to":"Ada","relationType":"knows"}` + "\n" +
		`{"type":"relation","from":"Ada","to":"Porto","relationType":"lives in"}`
	old, err := read(t, before)
	if err != nil {
		t.Fatal(err)
	}
	grown, err := read(t, after)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, r := range grown {
		have[r.Body.Text+"\n"+string(r.Body.Structured)] = true
	}
	for _, r := range old {
		if !have[r.Body.Text+"\n"+string(r.Body.Structured)] {
			t.Errorf("%q is not repeated as it was", r.Body.Text)
		}
	}
}

// The residue of a record is a line that gives the record again.
func TestResidueMapsAgain(t *testing.T) {
	text := strings.Replace(line, `"]`, `","plays go"],"since":1e2`, 1)
	records, err := read(t, text)
	if err != nil || len(records) != 2 {
		t.Fatal(len(records), err)
	}
	for _, want := range records {
		residue, ok := codec.Residue(want, "mcpmemory")
		if !ok {
			t.Fatal("no residue")
		}
		again, err := read(t, string(residue.Append(nil)))
		if err != nil || len(again) != 1 {
			t.Fatal(len(again), err)
		}
		again[0].Provenance, want.Provenance = nil, nil
		if diff := cmp.Diff(want, again[0]); diff != "" {
			t.Errorf("mapped again (-want +got):\n%s", diff)
		}
	}
}

func TestDates(t *testing.T) {
	now := time.Date(2026, 5, 5, 5, 5, 5, 0, time.UTC)
	modified := importtest.Modified()
	for name, test := range map[string]struct {
		modified time.Time
		now      func() time.Time
		want     time.Time
	}{
		"the file's":      {modified, func() time.Time { return now }, modified},
		"the clock's":     {time.Time{}, func() time.Time { return now }, now},
		"file, no clock":  {modified, nil, modified},
		"none is refused": {},
	} {
		t.Run(name, func(t *testing.T) {
			src, opt := importtest.File("memory.jsonl", line), importtest.Options()
			src.Modified, opt.Now = test.modified, test.now
			records, _, err := importtest.Read(mcpmemory.Format(), src, opt)
			if test.want.IsZero() {
				importtest.Breaks(t, err, "MCPMEM-7")
			} else if err != nil || !records[0].Time.Created.Equal(test.want) {
				t.Errorf("got %v, %v", records, err)
			}
		})
	}
	t.Run("no owner is refused", func(t *testing.T) {
		opt := importtest.Options()
		opt.Owner = ""
		_, _, err := importtest.Read(mcpmemory.Format(), importtest.File("memory.jsonl", line), opt)
		importtest.Breaks(t, err, "MCPMEM-7")
	})
}

// Unusual data does not keep a file from being read.
func TestStrictBindsOnlyValidate(t *testing.T) {
	src, opt := importtest.File("memory.jsonl", strings.Replace(line, `]`, `],"more":1`, 1)), importtest.Options()
	opt.Strict = true
	if records, _, err := importtest.Read(mcpmemory.Format(), src, opt); err != nil || len(records) == 0 {
		t.Errorf("got %d records, %v", len(records), err)
	}
	if len(importtest.Violations(t, mcpmemory.Format(), src, opt)) == 0 {
		t.Error("validating reports nothing")
	}
}

func TestValidateReportsEverything(t *testing.T) {
	text := `{"type":"entity","name":"","entityType":3,"observations":[1,"ok",2]}` + "\n" +
		"not JSON\n" + line + "\n" + `{"type":"relation","extra":1}`
	want := []string{
		"MCPMEM-3 line 1 /name", "MCPMEM-3 line 1 /entityType", "MCPMEM-3 line 1 /observations/0", "MCPMEM-3 line 1 /observations/2",
		"MCPMEM-1 line 2",
		"MCPMEM-4 line 4 /from", "MCPMEM-4 line 4 /to", "MCPMEM-4 line 4 /relationType",
	}
	if diff := cmp.Diff(want, violations(t, text, codec.Options{})); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
	strict := append(want, "MCPMEM-1 line 4 /extra")
	if diff := cmp.Diff(strict, violations(t, text, codec.Options{Strict: true})); diff != "" {
		t.Errorf("strict violations differ (-want +got):\n%s", diff)
	}
	graph := `{"entities":[{"name":1,"entityType":"t","observations":[]},7],"relations":null,"more":1}`
	want = []string{"MCPMEM-6 /relations", "MCPMEM-6 /more", "MCPMEM-3 /entities/0/name", "MCPMEM-6 /entities/1"}
	if diff := cmp.Diff(want, violations(t, graph, codec.Options{Strict: true})); diff != "" {
		t.Errorf("violations of the object differ (-want +got):\n%s", diff)
	}
}

func violations(t *testing.T, text string, opt codec.Options) []string {
	t.Helper()
	return importtest.Violations(t, mcpmemory.Format(), importtest.File("memory.jsonl", text), opt)
}

func TestDetect(t *testing.T) {
	long := strings.Replace(line, "chess", strings.Repeat("c", 100_000), 1)
	for name, test := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"entity":                    {line, codec.Certain},
		"relation":                  {`{"type":"relation","from":"a","to":"b","relationType":"c"}`, codec.Certain},
		"after blank lines":         {"\n\n" + line, codec.Certain},
		"a long first line":         {long, codec.Likely},
		"object of two lists":       {`{"entities":[{"name":"a","entityType":"t","observations":[]}],"relations":[]}`, codec.Likely},
		"other entities":            {`{"entities":[{"id":1,"label":"t"}]}`, codec.No},
		"entity of another format":  {`{"type":"entity","id":"x"}`, codec.No},
		"record of another format":  {`{"ump":"0.1","id":"urn:ump:a"}`, codec.No},
		"a list":                    {"[" + line + "]", codec.No},
		"prose":                     {"entity and relation", codec.No},
		"nothing":                   {"", codec.No},
		"broken":                    {`{"type":"ent`, codec.No},
		"a type that is a number":   {`{"type":1,"name":"","entityType":"","observations":[]}`, codec.No},
		"only the words of a graph": {`"entities" "entityType"`, codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mcpmemory.Format().Detect(importtest.File("memory.jsonl", test.text)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	t.Run("a folder", func(t *testing.T) {
		if got := mcpmemory.Format().Detect(importtest.Folder("f", map[string]string{"memory.jsonl": line})); got != codec.No {
			t.Errorf("got %v", got)
		}
	})
}

// endless is an endless line.
type endless struct{}

func (endless) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	if off == 0 {
		n = copy(p, `{"type":"entity","name":"`)
	}
	for i := n; i < len(p); i++ {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestEndlessLineIsNotHeld(t *testing.T) {
	src := codec.Source{Name: "memory.jsonl", File: endless{}, Size: 128 << 20, Modified: importtest.Modified()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := importtest.Read(mcpmemory.Format(), src, importtest.Options())
	runtime.ReadMemStats(&after)
	if p, ok := errors.AsType[*codec.ParseError](err); !ok || p.Rule != "MCPMEM-5" || p.Path != "line 1" {
		t.Errorf("got %v", err)
	}
	if held := after.TotalAlloc - before.TotalAlloc; held > 64<<20 {
		t.Errorf("%d bytes were held of a line", held)
	}
}

func TestBrokenDiskIsNoViolation(t *testing.T) {
	src := importtest.File("memory.jsonl", line)
	src.File = io.NewSectionReader(brokenDisk{}, 0, src.Size)
	if _, _, err := importtest.Read(mcpmemory.Format(), src, importtest.Options()); !errors.Is(err, errDisk) {
		t.Errorf("reading: got %v", err)
	}
	if err := mcpmemory.Format().Validate(src, importtest.Options(), func(p *codec.ParseError) { t.Error(p) }); !errors.Is(err, errDisk) {
		t.Errorf("validating: got %v", err)
	}
}

var errDisk = errors.New("the disk is broken")

type brokenDisk struct{}

func (brokenDisk) ReadAt([]byte, int64) (int, error) { return 0, errDisk }

func TestShared(t *testing.T) {
	src := importtest.Shared(t, "data/formats/mcp-server-memory/memory.jsonl")
	if got := mcpmemory.Format().Detect(src); got != codec.Certain {
		t.Errorf("detected as %v", got)
	}
	records, losses, err := importtest.Check(t, mcpmemory.Format(), src, importtest.Options())
	if err != nil || len(losses) != 0 {
		t.Fatal(err, losses)
	}
	var got []string
	for _, r := range records {
		got = append(got, r.Body.Text)
	}
	want := []string{"User: prefers pnpm", "User: lives in Hanoi", "Proj: uses Go", "User works_on Proj"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts differ (-want +got):\n%s", diff)
	}
}
