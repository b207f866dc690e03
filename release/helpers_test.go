package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// tinyPrograms builds the tiny program for all platforms, once.
var tinyPrograms = sync.OnceValues(func() (map[platform][]byte, error) {
	programs := map[platform][]byte{}
	for _, p := range platforms {
		dir, err := os.MkdirTemp("", "tiny-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -buildid=", "-o", filepath.Join(dir, "tiny"), ".")
		c.Dir = filepath.Join("testdata", "tiny")
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOFLAGS=")
		if err := run(c); err != nil {
			return nil, err
		}
		if programs[p], err = os.ReadFile(filepath.Join(dir, "tiny")); err != nil {
			return nil, err
		}
	}
	return programs, nil
})

// fresh returns a new release of the tiny program, with all its files.
func fresh(dir string) (*release, error) {
	programs, err := tinyPrograms()
	if err != nil {
		return nil, err
	}
	terms, err := os.ReadFile(filepath.Join("..", "LICENSE"))
	if err != nil {
		return nil, err
	}
	licences := fmt.Appendf(nil, "%s\nGo %s, LICENSE\nhttps://go.dev/dl/\n\n%s\n", strings.Repeat("=", 80), runtime.Version(), terms)
	r := &release{root: "..", out: dir, stamp: "v1.2.3", at: time.Unix(1767225601, 0).UTC(), programs: programs, licence: "Apache-2.0"}
	r.texts = []entry{
		{"LICENSE", 0o644, []byte("LICENSE\n")}, {"README.md", 0o644, []byte("README\n")}, {"licences.txt", 0o644, licences}, {"man/satchel.1", 0o644, []byte(".TH satchel 1\n")},
	}
	for _, c := range completions {
		r.texts = append(r.texts, entry{c.name, 0o644, []byte("# " + c.shell + "\n")})
	}
	for _, step := range []func() error{r.prepare, r.assemble} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// shared is one such release for all tests. TestMain removes it.
var shared = sync.OnceValues(func() (*release, error) {
	dir, err := os.MkdirTemp("", "satchel-tiny-")
	if err != nil {
		return nil, err
	}
	return fresh(dir)
})

func TestMain(m *testing.M) {
	status := m.Run()
	if r, err := shared(); err == nil {
		os.RemoveAll(r.out)
	}
	os.Exit(status)
}

// tiny returns a release of the tiny program, with all its files, that the test does not change.
func tiny(t *testing.T) *release {
	t.Helper()
	r, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	copied := *r
	return &copied
}

// own returns a copy of that release.
func own(t *testing.T) *release {
	t.Helper()
	r := tiny(t)
	files := tree(t, r.out)
	r.out = t.TempDir()
	for name, data := range files {
		if err := r.put(name, data); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// built returns the whole release in $SATCHEL_DIST, which make test-packages builds.
func built(t *testing.T) *release {
	t.Helper()
	dist := os.Getenv("SATCHEL_DIST")
	if dist == "" {
		t.Skip("skipped: SATCHEL_DIST names no release; make test-packages builds one")
	}
	bills, err := filepath.Glob(filepath.Join(dist, "satchel_*_linux_amd64.cdx.json"))
	if err != nil || len(bills) != 1 {
		t.Fatalf("%s holds no release: %v %v", dist, bills, err)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(bills[0]), "satchel_"), "_linux_amd64.cdx.json")
	r := &release{root: "..", out: dist, version: version, at: time.Unix(1767225601, 0).UTC(), programs: map[platform][]byte{}}
	for _, p := range platforms {
		files := unpack(t, r, p)
		r.programs[p] = files[p.binary()]
		r.licence = "Apache-2.0"
		if len(r.texts) == 0 {
			for name, data := range files {
				if name != p.binary() {
					r.texts = append(r.texts, entry{name, 0o644, data})
				}
			}
		}
	}
	return r
}

// need skips a test where a program is missing.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("skipped: there is no %s", program)
		}
	}
}

// command runs a command and returns its output. A command that fails ends the test.
func command(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	out, err := exec.Command(name, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

// tree reads all files below a folder.
func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// read returns a file of a release.
func read(t *testing.T, r *release, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.out, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// same compares two sets of files.
func same(t *testing.T, one, other map[string][]byte) {
	t.Helper()
	for name, data := range one {
		if !bytes.Equal(data, other[name]) {
			t.Errorf("%s differs: %d and %d bytes", name, len(data), len(other[name]))
		}
	}
	if len(one) != len(other) {
		t.Errorf("%d and %d files", len(one), len(other))
	}
}
