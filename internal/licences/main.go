// Command licences writes the licences of all modules that the program is built from, of Go
// itself, of WordNet and of the scripts of the pages, to standard output. A release ships them beside the binary.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are the operating systems that the program is built for. Each needs its own
// modules.
var systems = []string{"linux", "darwin", "windows"}

// program is the released package.
const program = "github.com/satchel-memory/satchel/cmd/satchel"

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// dictionaryUser is the package with the folder of what the program has of WordNet.
const dictionaryUser = "github.com/satchel-memory/satchel/internal/recall"

// pagesUser is the package with the folder of the scripts of others that browsers load.
const pagesUser = "github.com/satchel-memory/satchel/internal/pages"

// module is a version of a library, and the folder of its files.
type module struct{ path, version, dir string }

func run(out io.Writer) error {
	all, err := modules()
	if err != nil {
		return err
	}
	var wrong []error
	for _, m := range all {
		wrong = append(wrong, m.write(out))
	}
	return errors.Join(wrong...)
}

// modules lists the modules of the program on all systems, and WordNet, in the order of
// paths. Go and its standard library come first.
func modules() ([]module, error) {
	root, err := goSays("", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, err := goSays("", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	all := []module{{"Go", strings.TrimSpace(version), strings.TrimSpace(root)}}
	for _, system := range systems {
		said, err := goSays(system, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", program)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(said) {
			if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
				all = append(all, module{fields[0], fields[1], fields[2]})
			}
		}
	}
	dictionary, err := goSays("", "list", "-f", "{{.Dir}}/wordnet", dictionaryUser)
	if err != nil {
		return nil, err
	}
	all = append(all, module{"WordNet", "3.0", strings.TrimSpace(dictionary)})
	loaded, err := scripts()
	if err != nil {
		return nil, err
	}
	all = append(all, loaded...)
	slices.SortFunc(all[1:], func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return slices.Compact(all), nil
}

// scripts lists the packages of npm that browsers load: each has a folder NAME-VERSION.
func scripts() (all []module, err error) {
	said, err := goSays("", "list", "-f", "{{.Dir}}/static/others", pagesUser)
	if err != nil {
		return nil, err
	}
	dir := strings.TrimSpace(said)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		at := strings.LastIndexByte(e.Name(), '-')
		if at < 0 {
			return nil, fmt.Errorf("%s names no version", e.Name())
		}
		all = append(all, module{npm + e.Name()[:at], e.Name()[at+1:], filepath.Join(dir, e.Name())})
	}
	return all, err
}

// npm begins the path of a package of npm.
const npm = "npm/"

// source says where to get the source text of a module, as the Mozilla Public License asks.
func (m module) source() string {
	switch m.path {
	case "Go":
		return "https://go.dev/dl/"
	case "WordNet":
		return "https://wordnet.princeton.edu/"
	}
	if name, ok := strings.CutPrefix(m.path, npm); ok {
		return "https://www.npmjs.com/package/" + name + "/v/" + m.version
	}
	return "https://pkg.go.dev/" + m.path + "@" + m.version
}

// goSays returns what the go command prints for an operating system.
func goSays(system string, arguments ...string) (string, error) {
	c := exec.Command("go", arguments...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if system != "" {
		c.Env = append(c.Env, "GOOS="+system)
	}
	c.Stderr = os.Stderr
	said, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", arguments[0], err)
	}
	return string(said), nil
}

// terms matches the names of files with the terms of use of a module.
var terms = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// write writes the terms of a module. A module without terms may not be shipped.
func (m module) write(out io.Writer) error {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	found := false
	for _, e := range entries {
		if e.IsDir() || !terms.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.dir, e.Name()))
		if err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		if _, err := fmt.Fprintf(out, "%s\n%s %s, %s\n%s\n\n%s\n", strings.Repeat("=", 80), m.path, m.version, e.Name(), m.source(), strings.TrimSpace(string(text))); err != nil {
			return err
		}
		found = true
	}
	if !found {
		return fmt.Errorf("%s %s says no licence in %s", m.path, m.version, m.dir)
	}
	return nil
}
