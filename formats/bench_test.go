package formats_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
)

// BenchmarkDetectManyFiles detects the format of an archive of 70,000 notes, which has
// none. It does not measure the opening of the archive.
func BenchmarkDetectManyFiles(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "many.zip"))
	archive := zip.NewWriter(file)
	for i := range 70_000 {
		w, wrong := archive.Create(fmt.Sprintf("notes/%05d.md", i))
		if wrong == nil {
			_, wrong = fmt.Fprintf(w, "# Note %d\n\n- likes tea\n", i)
		}
		err = errors.Join(err, wrong)
	}
	if err = errors.Join(err, archive.Close(), file.Close()); err != nil {
		b.Fatal(err)
	}
	in, err := source.Open(file.Name(), source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	for b.Loop() {
		if f, err := formats.Detect(in.Source); err == nil {
			b.Fatalf("it is taken for %s", f.Name)
		}
	}
}
