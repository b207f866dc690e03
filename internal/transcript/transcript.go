// Package transcript tests protocols with conversations in files: testdata/NAME.in holds
// the requests, testdata/NAME.golden the whole conversation. Running with -update writes
// the golden files; read what changed.
package transcript

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Run compares every testdata/*.in with its golden file. converse runs a script and returns
// the whole conversation. It fails if there is no script.
func Run(t *testing.T, converse func(t *testing.T, name, script string) []byte) {
	t.Helper()
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
			Golden(t, name+".golden", converse(t, name, string(script)))
		})
	}
}

// Golden compares with a file of testdata, or writes it.
func Golden(t *testing.T, name string, got []byte) {
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

// Pretty indents JSON and returns anything else as it is.
func Pretty(body []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return body
	}
	return b.Bytes()
}
