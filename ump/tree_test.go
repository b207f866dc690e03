package ump_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/ump"
)

func folder(files map[string]string) codec.Source {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return codec.Source{Name: "folder", Tree: tree}
}

func TestTree(t *testing.T) {
	one := string(mustAuthor(t, `{"body":{"text":"one"}}`).Origin)
	two := string(mustAuthor(t, `{"body":{"text":"two"}}`).Origin)
	files := map[string]string{
		"a.ump.json": "[" + one + "," + two + "]", "deep/b.ump.ndjson": two + "\n" + one + "\n",
		"c.ump.md": sampleNote, "d.txt": "not ours", "e.ump.json": "[]",
	}
	t.Run("UMP-4.3-1 UMP-4.3-2 UMP-4.3-3 a folder is all its files, by name", func(t *testing.T) {
		if got := ump.Format().Detect(folder(files)); got != codec.Certain {
			t.Fatalf("confidence is %d", got)
		}
		records, _, err := readAll(t, ump.Format(), folder(files), codec.Options{})
		var said []string
		for _, r := range records {
			said = append(said, r.Body.Text)
		}
		want := "one,two,Always close the gate before dusk.,two,one"
		if got := strings.Join(said, ","); err != nil || got != want {
			t.Fatalf("got %s, %v; want %s", got, err, want)
		}
	})
	files["deep/b.ump.ndjson"] = two + "\n" + strings.Replace(one, `"semantic"`, `"note"`, 1)
	t.Run("UMP-2-4 a violation names the file", func(t *testing.T) {
		_, _, err := readAll(t, ump.Format(), folder(files), codec.Options{})
		e, ok := errors.AsType[*codec.ParseError](err)
		if !ok || e.File != "deep/b.ump.ndjson" || e.Path != "/1/kind" {
			t.Fatalf("%v", err)
		}
		var found []string
		err = ump.Format().Validate(folder(files), codec.Options{}, func(e *codec.ParseError) { found = append(found, e.File+e.Path) })
		if err != nil || len(found) == 0 || found[len(found)-1] != "deep/b.ump.ndjson/1/kind" {
			t.Fatalf("found %q, %v", found, err)
		}
	})
	t.Run("a folder of other things is none", func(t *testing.T) {
		if got := ump.Format().Detect(folder(map[string]string{"a.json": one})); got != codec.No {
			t.Fatalf("confidence is %d", got)
		}
	})
	t.Run("limits hold over all files together", func(t *testing.T) {
		limits := codec.Limits{Document: int64(len(one))}
		if _, err := ump.Format().Open(folder(files), codec.Options{Limits: limits}); err == nil {
			t.Fatal("no error")
		}
	})
}
