package mapping_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/aicf/mapping"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

const mapOwner = memory.DID("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z")

var mapTime = time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)

func mapOptions() codec.Options {
	return codec.Options{Owner: mapOwner, Now: func() time.Time { return mapTime }}
}

func sourceOf(name, text string) codec.Source {
	return codec.Source{Name: name, File: strings.NewReader(text), Size: int64(len(text)), Modified: mapTime}
}

// recordsIn reads all records of a file.
func recordsIn(t testing.TB, text string) ([]memory.Record, []codec.Loss) {
	t.Helper()
	all, losses, err := tryRecords(text, mapOptions())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return all, losses
}

func tryRecords(text string, opt codec.Options) (all []memory.Record, losses []codec.Loss, err error) {
	r, err := mapping.Format(ump.Forms()).Open(sourceOf("notes.aicf", text), opt)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for {
		next, err := r.Next()
		if err == io.EOF {
			return all, r.Losses(), nil
		}
		if err != nil {
			return all, nil, err
		}
		all = append(all, next)
	}
}

// fileOf writes records into a file.
func fileOf(t testing.TB, records ...memory.Record) (string, []codec.Loss) {
	t.Helper()
	var out bytes.Buffer
	w, err := mapping.Format(ump.Forms()).Create(&out, mapOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), w.Losses()
}

// fixtures are the inputs of all vectors, by name.
func fixtures(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../testdata/*/*.txtar", "../testdata/*/*/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				if strings.HasPrefix(f.Name, "in") {
					all[path+" "+f.Name] = string(f.Data)
				}
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("no vectors")
	}
	return all
}

func TestFormat(t *testing.T) {
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	every, err := os.ReadFile("../testdata/read/file/every-section.txtar")
	if err != nil {
		t.Fatal(err)
	}
	codectest.Suite{
		Format:    mapping.Format(ump.Forms()),
		Documents: []codectest.Document{{Name: "every section", Data: txtar.Parse(every).Files[0].Data}},
		FreeText:  true, // an entry runs to the end of its line, and a file may end in one
		Exempt:    map[string]string{"Files": "a context file is one file"},
		Sign: func(r memory.Record) (memory.Record, error) {
			r.Scope.Owner = key.DID()
			return ump.Author(r, &key)
		},
	}.Run(t)
}

func TestFilesComeBack(t *testing.T) {
	for name, text := range fixtures(t) {
		t.Run("L1 "+name, func(t *testing.T) {
			records, losses, err := tryRecords(text, mapOptions())
			if err != nil {
				if memory.KindOf(err) != memory.Unsupported { // of a version to come
					t.Fatal(err)
				}
				return
			}
			got, more := fileOf(t, records...)
			if temporary := strings.Contains(text, "temp"); got != text && !temporary || len(more) > 0 {
				t.Errorf("got\n%q\nwant\n%q\nlosses %v %v", got, text, losses, more)
			}
		})
	}
}
