package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// bench is a copy of the tree, in which mutations stand side by side: see variants. One
// build of a folder's tests serves all of them.
type bench struct {
	dir       string
	originals map[string][]byte  // by file, for files with mutations
	beside    map[int]bool       // mutations that are variants
	inFile    map[string][]trial // by file
}

// newBench copies the tree and puts the mutations into the copy.
func newBench(root string, trials []trial) (*bench, error) {
	dir, err := copyTree(root)
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, originals: map[string][]byte{}, beside: map[int]bool{}, inFile: map[string][]trial{}}
	for _, t := range trials {
		b.inFile[t.file] = append(b.inFile[t.file], t)
		b.beside[t.number] = strings.HasSuffix(t.file, ".go") && !strings.HasSuffix(t.file, "_test.go")
	}
	for file := range b.inFile {
		text, failed := os.ReadFile(b.path(file))
		b.originals[file] = text
		err = errors.Join(err, failed, b.write(file))
	}
	return b, errors.Join(err, b.choose(0))
}

func (b *bench) close() { _ = os.RemoveAll(b.dir) }

func (b *bench) path(file string) string { return filepath.Join(b.dir, filepath.FromSlash(file)) }

// write writes a file with its variants, and what chooses among them.
func (b *bench) write(file string) error {
	source := b.originals[file]
	if !strings.HasSuffix(file, ".go") {
		return os.WriteFile(b.path(file), source, 0o600)
	}
	beside := map[int]mutation{}
	for _, t := range b.inFile[file] {
		if b.beside[t.number] {
			beside[t.number] = t.mutation
		}
	}
	text, included, err := variants(string(source), beside)
	if err != nil {
		return err
	}
	for number := range beside {
		b.beside[number] = slices.Contains(included, number)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.PackageClauseOnly)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(b.path(file), []byte(text), 0o600),
		os.WriteFile(filepath.Join(filepath.Dir(b.path(file)), "proof_variant.go"), fmt.Appendf(nil, chooses, parsed.Name.Name, chosen, b.choice()), 0o600))
}

// chooses is a file that every package with variants gets. The programs that a test starts
// read the choice as well.
const chooses = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var %s = sync.OnceValue(func() int {
	text, _ := os.ReadFile(%q)
	number, _ := strconv.Atoi(string(text))
	return number
})
`

func (b *bench) choice() string { return filepath.Join(b.dir, "proof_variant") }

// choose puts a variant to work; 0: none.
func (b *bench) choose(number int) error {
	return os.WriteFile(b.choice(), []byte(strconv.Itoa(number)), 0o600)
}

// run tries the mutations, folder by folder, and tells what the tests printed.
func (b *bench) run(trials []trial, tell func(t trial, said string, err error)) error {
	for len(trials) > 0 {
		n := 1
		for n < len(trials) && trials[n].folder == trials[0].folder {
			n++
		}
		if err := b.folder(trials[:n], tell); err != nil {
			return err
		}
		trials = trials[n:]
	}
	return nil
}

// folder tries the mutations that the tests of one folder notice.
func (b *bench) folder(trials []trial, tell func(t trial, said string, err error)) error {
	tests := filepath.Join(b.dir, "proof.test")
	if slices.ContainsFunc(trials, func(t trial) bool { return b.beside[t.number] }) {
		if err := b.build(trials[0].folder, tests); err != nil {
			return err
		}
		var rows []proof
		for _, t := range trials {
			rows = append(rows, t.rows...)
		}
		if said, err := b.output(b.binary(tests, trials[0].folder, rows)); err != nil || red.MatchString(said) {
			return fmt.Errorf("%s: tests fail though nothing is broken: %w\n%s", trials[0].folder, err, said)
		}
	}
	for _, t := range trials {
		said, err := b.try(t, tests)
		tell(t, said, err)
	}
	return nil
}

// try runs the tests of one mutation.
func (b *bench) try(t trial, tests string) (said string, err error) {
	if b.beside[t.number] {
		if err := b.choose(t.number); err != nil {
			return "", err
		}
		said, err = b.output(b.binary(tests, t.folder, t.rows))
		return said, errors.Join(err, b.choose(0))
	}
	whole, err := os.ReadFile(b.path(t.file))
	if err != nil {
		return "", err
	}
	broken := strings.Replace(string(b.originals[t.file]), t.code, t.broken, 1)
	if err := os.WriteFile(b.path(t.file), []byte(broken), 0o600); err != nil {
		return "", err
	}
	said, err = b.output(b.command("go", "test", "-trimpath", "-ldflags=-w", "-vet=off", "-count=1", "-run", pattern(t.rows), "./"+t.folder))
	return said, errors.Join(err, os.WriteFile(b.path(t.file), whole, 0o600))
}

// build builds the tests of a folder. Mutations that do not compile beside their code go
// into builds of their own.
func (b *bench) build(folder, to string) error {
	for {
		said, err := b.output(b.command("go", "test", "-c", "-o", to, "-trimpath", "-ldflags=-w", "-gcflags=-e", "-vet=off", "./"+folder))
		if err != nil || said == "" {
			return err
		}
		alone, err := b.alone(said)
		if err != nil {
			return err
		}
		if !alone {
			return fmt.Errorf("%s does not compile: %s", folder, said)
		}
	}
}

var (
	complaint   = regexp.MustCompile(`(?m)^(\S+\.go):([0-9]+):[0-9]+: `)
	variantHead = regexp.MustCompile(`^func (?:\([^)]*\) )?proof[A-Za-z0-9_]*?([0-9]*)[\[(]`)
)

// alone takes the mutations that the compiler complains of out of the files, and reports
// whether there are any.
func (b *bench) alone(said string) (found bool, err error) {
	for _, c := range complaint.FindAllStringSubmatch(said, -1) {
		file := filepath.ToSlash(c[1])
		text, failed := os.ReadFile(b.path(file))
		line, _ := strconv.Atoi(c[2])
		lines := bytes.Split(text, []byte("\n"))
		if failed != nil || line > len(lines) {
			continue
		}
		for _, at := range slices.Backward(lines[:line]) {
			if head := variantHead.FindSubmatch(at); head != nil {
				number, _ := strconv.Atoi(string(head[1]))
				found = found || b.beside[number]
				b.beside[number] = false
				break
			}
		}
	}
	for file := range b.inFile {
		err = errors.Join(err, b.write(file))
	}
	return found, err
}

// binary runs the tests of some lines, built before.
func (b *bench) binary(tests, folder string, rows []proof) *exec.Cmd {
	cmd := b.command(tests, "-test.timeout=10m", "-test.run", pattern(rows))
	cmd.Dir = b.path(folder)
	return cmd
}

func (b *bench) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = b.dir
	return cmd
}

// output returns what a command prints. That it fails is no error.
func (b *bench) output(cmd *exec.Cmd) (string, error) {
	said, err := cmd.CombinedOutput()
	if _, ran := errors.AsType[*exec.ExitError](err); ran {
		err = nil
	}
	return string(said), err
}

// copyTree copies the module to a new folder, without its history.
func copyTree(root string) (string, error) {
	scratch, err := os.MkdirTemp("", "proof")
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(root)
	for _, entry := range entries {
		from, to := filepath.Join(root, entry.Name()), filepath.Join(scratch, entry.Name())
		switch {
		case entry.Name() == ".git":
		case entry.IsDir():
			err = errors.Join(err, os.CopyFS(to, os.DirFS(from)))
		default:
			text, failed := os.ReadFile(from)
			err = errors.Join(err, failed, os.WriteFile(to, text, 0o600))
		}
	}
	return scratch, err
}

// pattern returns the expression that selects the tests of lines.
func pattern(rows []proof) string {
	var tests []string
	for _, p := range rows {
		_, test, _ := strings.Cut(p.Test, " ")
		var parts []string
		for part := range strings.SplitSeq(test, "/") {
			parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
		}
		if one := strings.Join(parts, "/"); !slices.Contains(tests, one) {
			tests = append(tests, one)
		}
	}
	return strings.Join(tests, "|")
}
