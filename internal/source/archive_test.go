package source_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/source"
)

// packedAt is the date of the files in the archives below.
var packedAt = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

// zipped makes an archive of files by name and content, some of them compressed.
func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		method := zip.Deflate
		if len(files[name])%2 == 0 {
			method = zip.Store
		}
		part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: packedAt})
		if err == nil {
			_, err = io.WriteString(part, files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tarred makes a tar archive of headers, with as much content as they say.
func tarred(t *testing.T, heads ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, head := range heads {
		if head.Typeflag != tar.TypeXGlobalHeader {
			head.Mode, head.ModTime = 0o600, packedAt
		}
		err := w.WriteHeader(&head)
		if err == nil {
			_, err = io.WriteString(w, strings.Repeat("x", int(head.Size)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// gzipped compresses each text as a member of one file.
func gzipped(t *testing.T, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// contents reads all files of a tree twice, as a stream and in place.
func contents(t *testing.T, tree fs.FS) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		got[name] = string(text)
		again := make([]byte, len(text))
		if n, _ := f.(io.ReaderAt).ReadAt(again, 0); n != len(text) || !bytes.Equal(again, text) {
			t.Errorf("%s is another in place", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestArchiveIsFolder(t *testing.T) {
	large := strings.Repeat("0123456789", 6_600)
	notes := map[string]string{"MEMORY.md": "a", "notes/b.md": "bb", "notes/deep/c.md": "ccc"}
	under := func(top string, files map[string]string) map[string]string {
		all := map[string]string{}
		for name, text := range files {
			all[top+name] = text
		}
		return all
	}
	x := func(name string, n int64) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name, Size: n} }
	folder := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeDir, Name: name} }
	inTar := []tar.Header{folder("./"), folder("./notes/"), x("./notes/b.md", 2), x("./a.md", 1)}
	fromTar := map[string]string{"a.md": "x", "notes/b.md": "xx"}
	for name, test := range map[string]struct {
		data, name string
		want       map[string]string
	}{
		"zip":                          {zipped(t, notes), "export", notes},
		"a large file":                 {zipped(t, map[string]string{"a": large + "1", "b": ""}), "export", map[string]string{"a": large + "1", "b": ""}},
		"a top folder is entered":      {zipped(t, under("vault/", notes)), "vault", notes},
		"but only one":                 {zipped(t, under("a/b/", notes)), "a", under("b/", notes)},
		"what macOS puts beside it":    {zipped(t, map[string]string{"vault/a": "1", "vault/b": "2", "__MACOSX/vault/._a": "z"}), "vault", map[string]string{"a": "1", "b": "2"}},
		"a folder with its own entry":  {zipped(t, map[string]string{"v/": "", "v/a": "1", "v/b": "2"}), "v", map[string]string{"a": "1", "b": "2"}},
		"tar":                          {tarred(t, inTar...), "export", fromTar},
		"tar, compressed":              {gzipped(t, tarred(t, inTar...)), "export", fromTar},
		"tar of a commit":              {tarred(t, append([]tar.Header{{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "c"}}}, inTar...)...), "export", fromTar},
		"a part that is an archive":    {zipped(t, map[string]string{"c.json": "1", "m-000.zip": zipped(t, map[string]string{"m/x.json": "2"}), "m-001.zip": zipped(t, map[string]string{"m/y.json": "3"})}), "export", map[string]string{"c.json": "1", "m/x.json": "2", "m/y.json": "3"}},
		"parts with the same names":    {zipped(t, map[string]string{"c.json": "1", "p.zip": zipped(t, map[string]string{"c.json": "2"})}), "export", map[string]string{"c.json": "1", "p/c.json": "2"}},
		"an archive alone":             {zipped(t, map[string]string{"q.dat": zipped(t, notes)}), "export", notes},
		"and a folder in it":           {zipped(t, map[string]string{"q.dat": zipped(t, under("vault/", notes))}), "vault", notes},
		"a tar alone":                  {zipped(t, map[string]string{"q.dat": tarred(t, inTar...)}), "export", fromTar},
		"a compressed tar alone":       {zipped(t, map[string]string{"q.dat": gzipped(t, tarred(t, inTar...))}), "export", fromTar},
		"a part that is a tar":         {zipped(t, map[string]string{"c": "1", "p.tar": tarred(t, inTar...)}), "export", map[string]string{"c": "1", "a.md": "x", "notes/b.md": "xx"}},
		"beside others by its name":    {zipped(t, map[string]string{"a.docx": zipped(t, notes), "b.gz": gzipped(t, "b")}), "export", map[string]string{"a.docx": zipped(t, notes), "b.gz": gzipped(t, "b")}},
		"further down it stays a file": {zipped(t, map[string]string{"a/p.zip": "PK\x03\x04", "b": ""}), "export", map[string]string{"a/p.zip": "PK\x03\x04", "b": ""}},
		"only called an archive":       {zipped(t, map[string]string{"a.zip": "text", "b": ""}), "export", map[string]string{"a.zip": "text", "b": ""}},
		"nothing":                      {zipped(t, nil), "export", map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{"export.zip": test.data})
			in := open(t, filepath.Join(dir, "export.zip"), source.Options{Temp: t.TempDir()})
			if in.Tree == nil || in.File != nil || in.Name != test.name || in.Modified.IsZero() {
				t.Fatalf("got %+v", in.Source)
			}
			if diff := cmp.Diff(test.want, contents(t, in.Tree)); diff != "" {
				t.Error(diff)
			}
			if err := fstest.TestFS(in.Tree, slices.Collect(maps.Keys(test.want))...); err != nil {
				t.Error(err)
			}
			piped := open(t, "-", source.Options{Stdin: strings.NewReader(test.data), Temp: t.TempDir()})
			if diff := cmp.Diff(test.want, contents(t, piped.Tree)); diff != "" {
				t.Errorf("from standard input: %s", diff)
			}
		})
	}
}

// A compressed file, and an archive of one file, become that file; several members become
// all of it.
func TestPackedFile(t *testing.T) {
	for name, test := range map[string]struct{ file, data, name, want string }{
		"gzip":           {"m.jsonl.gz", gzipped(t, "one\n"), "m.jsonl", "one\n"},
		"two members":    {"m.gz", gzipped(t, "one\n", "two\n"), "m", "one\ntwo\n"},
		"without ending": {"m.jsonl", gzipped(t, "one\n"), "m.jsonl", "one\n"},
		"zip":            {"export.zip", zipped(t, map[string]string{"m.jsonl": "one\n"}), "m.jsonl", "one\n"},
		"in a folder":    {"export.zip", zipped(t, map[string]string{"top/m.jsonl": "one\n"}), "m.jsonl", "one\n"},
		"gzip in zip":    {"export.zip", zipped(t, map[string]string{"m.jsonl.gz": gzipped(t, "one\n")}), "m.jsonl", "one\n"},
		"in a part":      {"export.zip", zipped(t, map[string]string{"q.dat": zipped(t, map[string]string{"top/m.jsonl.gz": gzipped(t, "one\n")})}), "m.jsonl", "one\n"},
		"tar":            {"x.tgz", gzipped(t, tarred(t, tar.Header{Typeflag: tar.TypeReg, Name: "m", Size: 1})), "m", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{test.file: test.data})
			in := open(t, filepath.Join(dir, test.file), source.Options{})
			if in.Tree != nil || in.Name != test.name || in.Modified.IsZero() {
				t.Fatalf("got %+v", in.Source)
			}
			if got := content(t, in.Source); got != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A file that a format reads as it is stays packed.
func TestKnownStaysPacked(t *testing.T) {
	opt := source.Options{Known: func(codec.Source) bool { return true }}
	dir := write(t, map[string]string{"c.gz": gzipped(t, "text"), "f.zip": zipped(t, map[string]string{"only": "1"})})
	if got := content(t, open(t, filepath.Join(dir, "c.gz"), opt).Source); got != gzipped(t, "text") {
		t.Errorf("got %q", got)
	}
	if in := open(t, filepath.Join(dir, "f.zip"), opt); in.Tree == nil {
		t.Errorf("got %+v", in.Source)
	}
}

// A file has the date of the archive, if there is one, and names of old archives are read
// in the old encoding.
func TestArchiveSays(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, head := range []zip.FileHeader{
		{Name: "dated", Modified: packedAt}, {Name: "undated"}, {Name: "caf\x82", NonUTF8: true},
	} {
		if _, err := w.CreateHeader(&head); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in := open(t, "-", source.Options{Stdin: &b, Temp: t.TempDir()})
	for name, want := range map[string]time.Time{"dated": packedAt, "undated": {}, "café": {}} {
		info, err := fs.Stat(in.Tree, name)
		if err != nil || !info.ModTime().Equal(want) {
			t.Errorf("%s: got %v, %v", name, info, err)
		}
	}
}

// Only the owner can read the unpacked files, and closing removes them.
func TestSpoolOfArchive(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	name := filepath.Join(dir, "x.zip")
	if err := os.WriteFile(name, []byte(zipped(t, map[string]string{"a": strings.Repeat("abc", 33_333), "b": ""})), 0o600); err != nil {
		t.Fatal(err)
	}
	in := open(t, name, source.Options{Temp: temp})
	for _, entry := range must(os.ReadDir(temp)) {
		if info, err := entry.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%v, %v: others may read it", info, err)
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	empty(t, temp)
	if _, err := fs.ReadFile(in.Tree, "a"); err == nil {
		t.Error("it can be read after Close")
	}
}

func must[T any](v T, _ error) T { return v }

// TestBackslashes: programs of Windows once separated folders so.
func TestBackslashes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(name, []byte(zipped(t, map[string]string{`a\b\c.json`: "[]", "d.json": "{}"})), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := source.Open(name, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if data, err := fs.ReadFile(in.Tree, "a/b/c.json"); err != nil || string(data) != "[]" {
		t.Errorf("%q, %v", data, err)
	}
}
