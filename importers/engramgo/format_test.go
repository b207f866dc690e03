package engramgo_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/engramgo"
	"github.com/satchel-memory/satchel/importers/importtest"
)

func TestVectors(t *testing.T) { importtest.Run(t, engramgo.Format(), "testdata") }

func FuzzRead(f *testing.F) { importtest.Fuzz(f, engramgo.Format(), "export.json", "testdata") }

const chunk = `{"sessions":[{"id":"s"}],"observations":[{"id":1,"type":"decision","title":"Fence","content":"Build it of oak.","created_at":"2026-02-01 09:30:00"}],"prompts":null}`

func packed(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write([]byte(text))
	w.Close()
	return out.String()
}

func TestSyncFolder(t *testing.T) {
	files := map[string]string{
		"manifest.json":          `{"version":1,"chunks":[{"id":"aa"},{"id":"bb"}]}`,
		"chunks/aa.jsonl.gz":     packed(chunk),
		"chunks/bb.jsonl.gz":     packed(strings.ReplaceAll(strings.Replace(chunk, `"id":1`, `"id":2`, 1), "oak", "larch")),
		"chunks/unlisted.txt.gz": "x",
	}
	src := importtest.Folder("sync", files)
	if engramgo.Format().Detect(src) != codec.Certain {
		t.Error("the folder is not recognised")
	}
	records, losses, err := importtest.Check(t, engramgo.Format(), src, importtest.Options())
	if err != nil || len(records) != 2 || len(losses) != 2 || records[1].Body.Text != "Fence: Build it of larch." {
		t.Errorf("%d records, losses %v, %v", len(records), losses, err)
	}
	for name, change := range map[string]map[string]string{
		"a chunk that is missing":         {"manifest.json": `{"version":1,"chunks":[{"id":"zz"}]}`},
		"a chunk that leads out":          {"manifest.json": `{"version":1,"chunks":[{"id":"../../aa/../x"}]}`},
		"a chunk that is not packed":      {"chunks/aa.jsonl.gz": chunk},
		"a chunk that is cut short":       {"chunks/aa.jsonl.gz": packed(chunk)[:40]},
		"a chunk with a broken document":  {"chunks/aa.jsonl.gz": packed(chunk[:30])},
		"a manifest that is not the JSON": {"manifest.json": `{`},
	} {
		t.Run("ENGRAMGO-1 "+name, func(t *testing.T) {
			broken := map[string]string{}
			for n, text := range files {
				broken[n] = text
			}
			for n, text := range change {
				broken[n] = text
			}
			if _, _, err := importtest.Check(t, engramgo.Format(), importtest.Folder("sync", broken), importtest.Options()); err == nil {
				t.Error("it is read")
			}
		})
	}
	t.Run("ENGRAMGO-4 a chunk that unpacks to more than may be read", func(t *testing.T) {
		opt := importtest.Options()
		opt.Limits.Document = 300
		files["chunks/bb.jsonl.gz"] = packed(chunk[:len(chunk)-1] + strings.Repeat(" ", 1<<20) + "}")
		if _, _, err := importtest.Check(t, engramgo.Format(), importtest.Folder("sync", files), opt); err == nil {
			t.Error("it is read")
		}
	})
}

func TestNoOwner(t *testing.T) {
	opt := importtest.Options()
	opt.Owner = ""
	if _, _, err := importtest.Check(t, engramgo.Format(), importtest.File("x.json", chunk), opt); err == nil || !strings.Contains(err.Error(), "ENGRAMGO-5") {
		t.Errorf("ENGRAMGO-5: got %v", err)
	}
}

// TestShared reads files of the server itself.
func TestShared(t *testing.T) {
	for _, path := range []string{"data/formats/engram-go/engram-export.json", "data/formats/engram-go/sync"} {
		t.Run(path, func(t *testing.T) {
			src := importtest.Shared(t, path)
			records, _, err := importtest.Check(t, engramgo.Format(), src, importtest.Options())
			if err != nil || len(records) != 2 || records[0].Scope.Project != "demo" || engramgo.Format().Detect(src) != codec.Certain {
				t.Errorf("%d records, %v", len(records), err)
			}
		})
	}
}

func TestDeclared(t *testing.T) { importtest.Declared(t, engramgo.Format(), "testdata") }
