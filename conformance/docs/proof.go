package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// proofs is the path of the table of proofs, below the root.
const proofs = "docs/requirements/proof.tsv"

// proof says how to break the rule of a row, and which test then fails.
type proof struct {
	ID     string
	File   string
	Code   string // stands once in the file
	Broken string // what replaces it
	Test   string // "engram TestVerify"
}

// escapes spells lines and tabs in a table of lines and tabs.
var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")

func readProofs(fsys fs.FS) ([]proof, error) {
	rows, err := columns(fsys, proofs, 5)
	var all []proof
	for _, f := range rows {
		all = append(all, proof{f[0], f[1], escapes.Replace(f[2]), escapes.Replace(f[3]), f[4]})
	}
	return all, err
}

// apply returns the source of a proof's file with the rule broken.
func (p proof) apply(fsys fs.FS) ([]byte, error) {
	text, err := fs.ReadFile(fsys, p.File)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(text), p.Code); n != 1 {
		return nil, fmt.Errorf("%s: the line is out of date: %s has its code %d times", p.ID, p.File, n)
	}
	return []byte(strings.Replace(string(text), p.Code, p.Broken, 1)), nil
}

// ProofProblems lists lines of the table that are out of date, or whose test does not claim
// their row.
func (r *Report) ProofProblems(fsys fs.FS) []string {
	all, err := readProofs(fsys)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, p := range all {
		if _, err := p.apply(fsys); err != nil {
			found = append(found, err.Error())
		}
		if named, data := r.claimed(p); !named && !data {
			found = append(found, fmt.Sprintf("%s: %s does not claim it", p.ID, p.Test))
		}
	}
	return found
}

// claimed reports whether the test of a proof claims its row by name, itself or in a helper
// of its folder, and whether data of that folder does.
func (r *Report) claimed(p proof) (named, data bool) {
	folder, _, _ := strings.Cut(p.Test, " ")
	for _, claim := range r.Claims[p.ID] {
		in, name, _ := strings.Cut(claim, " ")
		named = named || claim == p.Test || in == folder && !strings.HasPrefix(name, "Test")
		data = data || name == "" && strings.HasPrefix(in, folder+"/testdata/")
	}
	return named, data
}

// prove breaks the rules of the rows whose ids begin with prefix, and runs their tests. Lines
// with one mutation share a run. It returns how many lines are not proven.
func prove(root, prefix string, out io.Writer) (int, error) {
	report, err := Read(os.DirFS(root))
	if err != nil {
		return 0, err
	}
	all, err := readProofs(os.DirFS(root))
	if err != nil {
		return 0, err
	}
	type mutation struct{ file, code, broken, folder string }
	var order []mutation
	rows := map[mutation][]proof{}
	for _, p := range all {
		if !strings.HasPrefix(p.ID, prefix) {
			continue
		}
		folder, _, _ := strings.Cut(p.Test, " ")
		m := mutation{p.File, p.Code, p.Broken, folder}
		if rows[m] == nil {
			order = append(order, m)
		}
		rows[m] = append(rows[m], p)
	}
	failed, proven := 0, 0
	for _, m := range order {
		said, err := mutated(root, m.folder, rows[m])
		for _, p := range rows[m] {
			_, data := report.claimed(p)
			if why := p.judge(said, data, err); why != "" {
				failed++
				fmt.Fprintf(out, "%s: %s: %s\n", p.ID, p.Test, why)
			} else {
				proven++
			}
		}
	}
	fmt.Fprintf(out, "%d rows are proven, %d are not\n", proven, failed)
	return failed, nil
}

// mutated runs the tests of proofs of one mutation, and returns what they print. The tree
// stays as it is.
func mutated(root, folder string, rows []proof) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	source, err := rows[0].apply(os.DirFS(root))
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp("", "proof")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	broken, overlay := filepath.Join(scratch, "broken.go"), filepath.Join(scratch, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, rows[0].File): broken}})
	if err := errors.Join(err, os.WriteFile(broken, source, 0o600), os.WriteFile(overlay, list, 0o600)); err != nil {
		return "", err
	}
	var tests []string
	for _, p := range rows {
		_, test, _ := strings.Cut(p.Test, " ")
		tests = append(tests, regexp.QuoteMeta(test))
	}
	cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-p=1", "-run", "^("+strings.Join(tests, "|")+")$", "./"+folder)
	cmd.Dir = root
	said, err := cmd.CombinedOutput()
	if _, ran := errors.AsType[*exec.ExitError](err); ran {
		err = nil
	}
	return string(said), err
}

var red = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// judge says why a run does not prove a row. The test has to fail, and what it prints has to
// name the row, unless data claims it. Names of subtests are printed with underscores as
// spaces.
func (p proof) judge(said string, data bool, err error) string {
	_, test, _ := strings.Cut(p.Test, " ")
	switch {
	case err != nil:
		return err.Error()
	case strings.Contains(said, "[build failed]"):
		return "the broken code does not compile"
	case !slices.ContainsFunc(red.FindAllStringSubmatch(said, -1), func(n []string) bool { return n[1] == test }):
		return "stays green"
	case !data && !slices.Contains(identifier.FindAllString(strings.ReplaceAll(said, "_", " "), -1), p.ID):
		return "goes red without a word of the row"
	}
	return ""
}
