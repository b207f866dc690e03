// Package openapi_test holds the description of a running server, /openapi.json, to the
// published schema of OpenAPI 3.1, which a library brings. It is a module of its own, so that
// the program does not carry that library.
package openapi_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

// TestDescriptionIsOpenAPI builds the program and validates what it says of itself, with
// few abilities and with many.
func TestDescriptionIsOpenAPI(t *testing.T) {
	program := filepath.Join(t.TempDir(), "satchel")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/satchel").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, abilities := range [][]string{
		{"--no-agents"},
		{"--oauth"},
		{"--public", "--open-metrics", "--engram-edition", "0.1.2", "--engram-batch", "--engram-webhooks", "--engram-jwks", "--webfinger", "acct:ana@memory.example"},
	} {
		description := descriptionOf(t, program, abilities)
		document, err := libopenapi.NewDocument(description)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := document.BuildV3Model(); err != nil {
			t.Errorf("%q: %v", abilities, err)
		}
		v, errs := validator.NewValidator(document)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if ok, errs := v.ValidateDocument(); !ok {
			for _, e := range errs {
				t.Errorf("%q: %s: %s", abilities, e.Message, e.Reason)
				for _, s := range e.SchemaValidationErrors {
					t.Errorf("  %s: %s", s.FieldPath, s.Reason)
				}
			}
		}
		t.Logf("%q: %d bytes", abilities, len(description))
	}
}

// descriptionOf returns what a server with these abilities serves at /openapi.json.
func descriptionOf(t *testing.T, program string, abilities []string) []byte {
	t.Helper()
	dir := t.TempDir()
	surroundings := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SATCHEL_STORE=" + filepath.Join(dir, "store")}
	made := exec.Command(program, "init", "-q")
	made.Env = surroundings
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	serving := exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0"}, abilities...)...)
	serving.Env = surroundings
	said, err := serving.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = serving.Process.Signal(os.Interrupt)
		_ = serving.Wait()
	}()
	base, lines := "", bufio.NewScanner(said)
	for base == "" && lines.Scan() {
		if found := regexp.MustCompile(`serving (http://[^/]+)/ump`).FindStringSubmatch(lines.Text()); found != nil {
			base = found[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	if base == "" {
		t.Fatal("satchel serve said no address")
	}
	got, err := http.Get(base + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	description, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("%d %v", got.StatusCode, err)
	}
	return description
}
