package aimemhttp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aimem/aimemhttp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestTranscripts sends every testdata/*.in and compares the conversation with
// testdata/*.golden. Requests are separated by a line "---": method and path,
// headers, an empty line, the body. A body BUNDLE n is a bundle of n chunks, and
// LINES n the same as lines.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".in")
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := serve(t, &service{}, aimemhttp.Options{})
			var transcript bytes.Buffer
			for request := range strings.SplitSeq(string(script), "---\n") {
				head, body, _ := strings.Cut(request, "\n\n")
				lines := strings.Split(strings.Trim(head, "\n"), "\n")
				method, path, _ := strings.Cut(lines[0], " ")
				got := s.do(t, method, path, spelledOut(t, strings.TrimSpace(body)), lines[1:]...)
				fmt.Fprintf(&transcript, "%s\n\n%s\n", strings.TrimSpace(request), got.Status)
				got.Header.Del("Date")
				for _, name := range slices.Sorted(maps.Keys(got.Header)) {
					fmt.Fprintf(&transcript, "%s: %s\n", name, strings.Join(got.Header[name], ", "))
				}
				fmt.Fprintf(&transcript, "\n%s\n---\n", pretty(got.body))
			}
			golden(t, name+".golden", transcript.Bytes())
		})
	}
}

// spelledOut is a body in full.
func spelledOut(t *testing.T, body string) string {
	t.Helper()
	form, size, ok := strings.Cut(body, " ")
	n := 0
	if _, err := fmt.Sscan(size, &n); !ok || err != nil {
		return body
	}
	switch form {
	case "BUNDLE":
		return bundle(n)
	case "LINES":
		whole := object("%s", bundle(n, `edges=[]`, `entities=[]`, `chunk_entities=[]`))
		envelope := whole
		for _, array := range []string{"chunks", "edges", "entities", "chunk_entities"} {
			envelope = envelope.Without(array)
		}
		lines := string(envelope.Append(nil)) + "\n"
		for _, c := range whole.Get("chunks").Items() {
			lines += strings.Replace(string(c.Append(nil)), "{", `{"_kind":"chunk",`, 1) + "\n"
		}
		return lines
	}
	return body
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update when that is meant:\n%s", name, diff)
	}
}

func pretty(body []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return body
	}
	return b.Bytes()
}
