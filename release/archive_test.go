package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestSameBytes builds all packages twice.
func TestSameBytes(t *testing.T) {
	one := own(t)
	other, err := fresh(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*release{one, other} {
		if err := r.sign(); err != nil {
			t.Fatal(err)
		}
	}
	files := tree(t, one.out)
	same(t, files, tree(t, other.out))
	if want := 6 + 6 + 4 + 2 + 7 + 3 + 3 + 2; len(files) != want { // archives, bills, deb and rpm, images, npm, bundles, formula and so on, sums
		t.Errorf("%d files instead of %d", len(files), want)
	}
}

// TestVersions turns tags and revisions into versions of packages.
func TestVersions(t *testing.T) {
	for stamp, want := range map[string]string{
		"v1.2.3": "1.2.3", "1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3-rc.1", "v1.2.3-4-gabcdef0": "1.2.3-4-gabcdef0",
		"59390077": "0.0.0-g59390077", "59390077-dirty": "0.0.0-g59390077-dirty", "v1.2": "0.0.0-gv1-2", "v01.2.3": "0.0.0-gv01-2-3", "release_7+x": "0.0.0-grelease-7-x",
	} {
		if got := packageVersion(stamp); got != want {
			t.Errorf("%s is %s, want %s", stamp, got, want)
		}
	}
}

// TestFolderWithFiles refuses to mix a release with what lies there.
func TestFolderWithFiles(t *testing.T) {
	r := tiny(t)
	if err := r.prepare(); err == nil || !strings.Contains(err.Error(), "holds files already") {
		t.Errorf("%v", err)
	}
	for _, r := range []*release{{}, {stamp: "v1.2.3"}} {
		if err := r.run(0); err == nil || !strings.Contains(err.Error(), "is missing") {
			t.Errorf("%v", err)
		}
	}
}

// TestPrograms looks into the archives: each holds a program for its platform, and the texts.
func TestPrograms(t *testing.T) {
	look := func(t *testing.T, r *release) {
		for _, p := range platforms {
			files := unpack(t, r, p)
			if err := isFor(files[p.binary()], p); err != nil {
				t.Errorf("%s: %v", p, err)
			}
			for _, name := range []string{"LICENSE", "README.md", "licences.txt", "man/satchel.1", "completions/satchel.bash", "completions/_satchel"} {
				if len(files[name]) == 0 {
					t.Errorf("%s has no %s", p, name)
				}
			}
		}
	}
	t.Run("tiny", func(t *testing.T) { look(t, tiny(t)) })
	t.Run("whole", func(t *testing.T) { look(t, built(t)) })
}

// isFor reads the headers of a program.
func isFor(program []byte, p platform) error {
	in := bytes.NewReader(program)
	var got any
	switch p.os {
	case "linux":
		f, err := elf.NewFile(in)
		if err != nil {
			return err
		}
		if libraries, err := f.ImportedLibraries(); err != nil && !errors.Is(err, elf.ErrNoSymbols) || len(libraries) > 0 || f.Section(".interp") != nil {
			return fmt.Errorf("it is not static: %v %v", libraries, err)
		}
		got = f.Machine
	case "darwin":
		f, err := macho.NewFile(in)
		if err != nil {
			return err
		}
		got = f.Cpu
	case "windows":
		f, err := pe.NewFile(in)
		if err != nil {
			return err
		}
		got = f.Machine
	}
	want := map[platform]any{
		{"linux", "amd64"}: elf.EM_X86_64, {"linux", "arm64"}: elf.EM_AARCH64, {"darwin", "amd64"}: macho.CpuAmd64, {"darwin", "arm64"}: macho.CpuArm64,
		{"windows", "amd64"}: uint16(pe.IMAGE_FILE_MACHINE_AMD64), {"windows", "arm64"}: uint16(pe.IMAGE_FILE_MACHINE_ARM64),
	}[p]
	if got != want {
		return fmt.Errorf("it is for %v", got)
	}
	return nil
}

// unpack returns the files of an archive of the release, without the folder in which they lie.
func unpack(t *testing.T, r *release, p platform) map[string][]byte {
	t.Helper()
	if p.os == "windows" {
		return below(t, unzip(t, read(t, r, r.asset(p, ".zip"))), r.asset(p, "")+"/")
	}
	return below(t, untar(t, read(t, r, r.asset(p, ".tar.gz"))), r.asset(p, "")+"/")
}

// below takes a folder off the names of files.
func below(t *testing.T, files map[string][]byte, folder string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for name, data := range files {
		rest, ok := strings.CutPrefix(name, folder)
		if !ok {
			t.Errorf("%s lies outside of %s", name, folder)
		}
		out[rest] = data
	}
	return out
}

// unzip returns the files of a zip.
func unzip(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// untar returns the files of a tar, compressed or not.
func untar(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	var in io.Reader = bytes.NewReader(data)
	if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		in = z
	}
	files := map[string][]byte{}
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if files[h.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
	}
}
