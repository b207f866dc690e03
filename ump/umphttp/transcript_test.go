package umphttp_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/ump/umphttp"
)

// TestTranscripts sends every testdata/*.in and compares the conversation with
// testdata/*.golden. Requests are separated by a line "---": method and path,
// headers, an empty line, the body.
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
			server := serve(t, plain{filled(t)}, umphttp.Options{Endpoint: "/ump", Exports: []umphttp.Export{{URL: "/manual.ump.json", Format: "ump.json"}}})
			var transcript bytes.Buffer
			for request := range strings.SplitSeq(string(script), "---\n") {
				head, body, _ := strings.Cut(request, "\n\n")
				lines := strings.Split(strings.TrimSpace(head), "\n")
				method, path, _ := strings.Cut(lines[0], " ")
				got := do(t, server, method, path, strings.TrimSpace(body), lines[1:]...)
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
