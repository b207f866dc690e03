package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// compile builds the program for all platforms. Without cgo, paths, symbols and the state of the
// clone, the program runs anywhere, and anybody can build the same bytes again.
func (r *release) compile() error {
	r.programs = map[platform][]byte{}
	for _, p := range platforms {
		data, err := r.build(p)
		if err != nil {
			return err
		}
		r.programs[p] = data
	}
	return nil
}

func (r *release) build(p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "satchel-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, p.binary())
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X "+module+"/internal/cli.stamped="+r.stamp, "-o", path, "./cmd/satchel")
	c.Dir = r.root
	// Settings of this machine that change what the compiler writes are set aside.
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	if err := run(c); err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	return os.ReadFile(path)
}

// document collects the texts that stand beside the program: licences, README, manual and completions.
// The program writes the last two itself, on a platform that this machine runs.
func (r *release) document() error {
	licence, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	if r.licence, err = spdx(licence); err != nil {
		return fmt.Errorf("LICENSE: %w", err)
	}
	readme, err := os.ReadFile(filepath.Join(r.root, "README.md"))
	if err != nil {
		return err
	}
	c := exec.Command("go", "run", "./internal/licences")
	var licences bytes.Buffer
	c.Dir, c.Stdout = r.root, &licences
	if err := run(c); err != nil {
		return err
	}
	if err := r.put("licences.txt", licences.Bytes()); err != nil {
		return err
	}
	r.texts = []entry{{"LICENSE", 0o644, licence}, {"README.md", 0o644, readme}, {"licences.txt", 0o644, licences.Bytes()}}
	return r.ask()
}

// completions are the scripts of shells, by the names of their files.
var completions = [...]struct{ shell, name string }{
	{"bash", "completions/satchel.bash"}, {"fish", "completions/satchel.fish"}, {"powershell", "completions/satchel.ps1"}, {"zsh", "completions/_satchel"},
}

// ask lets the program write its manual and its completions.
func (r *release) ask() error {
	program, ok := r.programs[platform{runtime.GOOS, runtime.GOARCH}]
	if !ok {
		return fmt.Errorf("a release is built on a platform that it is for: this is %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	dir, err := os.MkdirTemp("", "satchel-texts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, platform{runtime.GOOS, runtime.GOARCH}.binary())
	if err := os.WriteFile(path, program, 0o755); err != nil {
		return err
	}
	manual := filepath.Join(dir, "man")
	if err := run(exec.Command(path, "man", "-q", "-o", manual)); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(manual, "*.1"))
	if err != nil || len(pages) == 0 {
		return fmt.Errorf("satchel man wrote no page: %v", err)
	}
	slices.Sort(pages)
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		r.texts = append(r.texts, entry{"man/" + filepath.Base(page), 0o644, data})
	}
	for _, script := range completions {
		c := exec.Command(path, "completion", script.shell)
		var said bytes.Buffer
		c.Stdout = &said
		if err := run(c); err != nil {
			return err
		}
		r.texts = append(r.texts, entry{script.name, 0o644, said.Bytes()})
	}
	return nil
}

// text returns the content of a text.
func (r *release) text(name string) []byte {
	i := slices.IndexFunc(r.texts, func(e entry) bool { return e.name == name })
	return r.texts[i].data
}

// spdx names the licence of a text, or several, joined as SPDX joins them.
func spdx(text []byte) (string, error) {
	var ids []string
	for _, m := range licensecheck.Scan(text).Match {
		if !m.IsURL && !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return "", fmt.Errorf("the licence is not known")
	}
	return strings.Join(ids, " AND "), nil
}

// run runs a command and returns what it says when it fails.
func run(c *exec.Cmd) error {
	var said bytes.Buffer
	c.Stderr = &said
	if c.Stdout == nil {
		c.Stdout = &said
	}
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(c.Path), err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}
