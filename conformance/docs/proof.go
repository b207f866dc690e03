package main

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// proofs is the path of the table of proofs, below the root; spared that of the rows which
// nothing breaks, with the reason.
const (
	proofs = "docs/requirements/proof.tsv"
	spared = "docs/requirements/proof-notes.tsv"
)

// proof says how to break the rule of a row, and which test then fails.
type proof struct {
	ID     string
	File   string
	Code   string // stands once in the file
	Broken string // what replaces it
	Test   string // "engram TestVerify", or of a script "cmd/satchel TestScripts/aicf"
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
// their row, and tested rows without a proof or a reason.
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
		if c := r.claimed(p); !c.named && !c.data {
			found = append(found, fmt.Sprintf("%s: %s does not claim it", p.ID, p.Test))
		}
	}
	for _, row := range r.Rows {
		reason := r.Spared[row.ID] != ""
		switch {
		case r.Proofs[row.ID] && reason:
			found = append(found, row.ID+": it has a proof: remove its reason")
		case r.tested(row) && !r.Proofs[row.ID] && !reason:
			found = append(found, row.ID+": it is tested, and there is neither a proof nor a reason why not")
		case !r.tested(row) && reason:
			found = append(found, row.ID+": it is not tested: remove its reason")
		}
	}
	return found
}

// claimant says what claims the row of a proof.
type claimant struct {
	named bool     // the test by name, itself or in a helper or a suite that it calls
	run   bool     // the test, as a row that a run of a suite passes
	data  bool     // vectors in the folder of the test
	names []string // of those vectors
}

func (r *Report) claimed(p proof) (c claimant) {
	folder, test, _ := strings.Cut(p.Test, " ")
	test, _, _ = strings.Cut(test, "/")
	c.run, c.names = slices.Contains(r.Runs[p.ID], folder+" "+test), r.Vectors[p.ID]
	for _, claim := range r.Claims[p.ID] {
		in, name, _ := strings.Cut(claim, " ")
		helper := name != "" && !strings.HasPrefix(name, "Test")
		c.named = c.named || helper || claim == folder+" "+test || claim == p.script()
		c.data = c.data || name == "" && strings.HasPrefix(in+"/", folder+"/testdata/")
	}
	return c
}

// script returns the file of the script that a proof runs, and nothing for any other test.
func (p proof) script() string {
	folder, test, _ := strings.Cut(p.Test, " ")
	if name, ok := strings.CutPrefix(test, "TestScripts/"); ok {
		return folder + "/testdata/script/" + name + ".txt"
	}
	return ""
}

var (
	red = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	// unsaid are lines that name rows which did not fail: those of a file of rows, and what a
	// run did not try.
	unsaid = regexp.MustCompile(`(?m)^[\s+]*[A-Z0-9]+-[A-Za-z0-9.-]+\s*$|^.* is not tried: .*$`)
	// step is the comment that begins a part of a script, as a script prints it.
	step = regexp.MustCompile(`(?m)^\s+(?:\S+: )?(# .*)$`)
)

// judge says why a run does not prove a row. The test has to fail, and what it prints has to
// name the row, or a vector that claims it. A script has to fail in the part that the row begins.
// Names of subtests are printed with underscores as spaces.
func (p proof) judge(said string, c claimant, err error) string {
	_, test, _ := strings.Cut(p.Test, " ")
	switch {
	case err != nil:
		return err.Error()
	case strings.Contains(said, "[build failed]"):
		return "the broken code does not compile"
	case strings.Contains(said, "panic: test timed out"):
		return "hangs"
	case !slices.ContainsFunc(red.FindAllStringSubmatch(said, -1), func(n []string) bool { return n[1] == test }):
		return "stays green"
	case p.script() != "":
		said, c.data = failing(said, test), false
	}
	if !names(said, p.ID, c.run) && !(c.data && fails(said, c.names)) {
		return "goes red without a word of the row"
	}
	return ""
}

// names reports whether the output of tests names a row that failed. The name of a subtest
// that runs a suite says nothing of one row: what it prints does.
func names(said, id string, run bool) bool {
	said = strings.ReplaceAll(unsaid.ReplaceAllString(said, ""), "_", " ")
	for line := range strings.Lines(said) {
		if slices.Contains(identifier.FindAllString(line, -1), id) && !(run && red.MatchString(line)) {
			return true
		}
	}
	return false
}

// fails reports whether the subtest of one of some vectors failed.
func fails(said string, vectors []string) bool {
	return slices.ContainsFunc(red.FindAllStringSubmatch(said, -1), func(n []string) bool {
		return slices.ContainsFunc(vectors, func(name string) bool { return strings.Contains(n[1], strings.ReplaceAll(name, " ", "_")) })
	})
}

// failing returns the comment of the part in which a script failed: the last one that it
// printed.
func failing(said, test string) string {
	_, said, _ = strings.Cut(said, "--- FAIL: "+test+" ")
	said, _, _ = strings.Cut(said, "\n    --- FAIL: ")
	steps := step.FindAllStringSubmatch(said, -1)
	if len(steps) == 0 {
		return ""
	}
	return steps[len(steps)-1][1]
}
