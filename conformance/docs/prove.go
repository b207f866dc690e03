package main

import (
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

// mutation is one change of one file, and the folder whose tests should notice it.
type mutation struct{ file, code, broken, folder string }

// prove breaks the rules of the rows whose ids begin with one of the prefixes, on a copy of
// the tree, and runs their tests. Lines with one mutation share a run. It returns how many
// lines are not proven.
func prove(root string, prefixes []string, out io.Writer) (int, error) {
	report, err := Read(os.DirFS(root))
	if err != nil {
		return 0, err
	}
	order, rows, err := mutations(os.DirFS(root), prefixes)
	if err != nil {
		return 0, err
	}
	scratch, err := copyTree(root)
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	failed, proven := 0, 0
	for _, m := range order {
		said, err := mutated(scratch, m, rows[m])
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

// mutations returns the lines of the table by their mutation, and the mutations in order.
func mutations(fsys fs.FS, prefixes []string) ([]mutation, map[mutation][]proof, error) {
	all, err := readProofs(fsys)
	var order []mutation
	rows := map[mutation][]proof{}
	for _, p := range all {
		if len(prefixes) > 0 && !slices.ContainsFunc(prefixes, func(s string) bool { return strings.HasPrefix(p.ID, s) }) {
			continue
		}
		folder, _, _ := strings.Cut(p.Test, " ")
		m := mutation{p.File, p.Code, p.Broken, folder}
		if rows[m] == nil {
			order = append(order, m)
		}
		rows[m] = append(rows[m], p)
	}
	return order, rows, err
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

// mutated makes a mutation in the copy, runs the tests of its proofs, and takes it back. It
// returns what the tests print.
func mutated(scratch string, m mutation, rows []proof) (string, error) {
	name := filepath.Join(scratch, m.file)
	whole, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	broken, err := rows[0].apply(os.DirFS(scratch))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(name, broken, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "test", "-trimpath", "-ldflags=-w", "-vet=off", "-count=1", "-p=1", "-run", pattern(rows), "./"+m.folder)
	cmd.Dir = scratch
	said, err := cmd.CombinedOutput()
	if _, ran := errors.AsType[*exec.ExitError](err); ran {
		err = nil
	}
	return string(said), errors.Join(err, os.WriteFile(name, whole, 0o600))
}

// pattern returns the expression that selects the tests of proofs.
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
