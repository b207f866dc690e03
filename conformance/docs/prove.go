package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// mutation is one change of one file.
type mutation struct{ file, code, broken string }

// trial is a mutation and the lines that name it, whose tests stand in one folder.
type trial struct {
	mutation
	number int // from 1
	folder string
	rows   []proof
}

// prove breaks the rules of the rows whose ids begin with one of the prefixes, on a copy of
// the tree, and runs their tests. It returns how many lines are not proven. With talk it
// also prints what the tests of those lines said.
func prove(root string, prefixes []string, talk bool, out io.Writer) (int, error) {
	report, err := Read(os.DirFS(root))
	if err != nil {
		return 0, err
	}
	trials, err := readTrials(os.DirFS(root), prefixes)
	if err != nil {
		return 0, err
	}
	b, err := newBench(root, trials)
	if err != nil {
		return 0, err
	}
	defer b.close()
	failed, proven := 0, 0
	err = b.run(trials, func(t trial, said string, err error) {
		for _, p := range t.rows {
			why := p.judge(said, report.claimed(p), err)
			if why == "" {
				proven++
				continue
			}
			failed++
			fmt.Fprintf(out, "%s: %s: %s\n", p.ID, p.Test, why)
			if talk {
				fmt.Fprintln(out, said)
			}
		}
	})
	fmt.Fprintf(out, "%d lines are proven, %d are not\n", proven, failed)
	return failed, err
}

// readTrials returns the lines of the table that the prefixes select, by their mutation and
// folder, and folder by folder.
func readTrials(fsys fs.FS, prefixes []string) ([]trial, error) {
	all, err := readProofs(fsys)
	if err != nil {
		return nil, err
	}
	var trials []trial
	for _, p := range all {
		if len(prefixes) > 0 && !slices.ContainsFunc(prefixes, func(s string) bool { return strings.HasPrefix(p.ID, s) }) {
			continue
		}
		if _, err := p.apply(fsys); err != nil {
			return nil, err
		}
		folder, _, _ := strings.Cut(p.Test, " ")
		m := mutation{p.File, p.Code, p.Broken}
		at := slices.IndexFunc(trials, func(t trial) bool { return t.mutation == m && t.folder == folder })
		if at < 0 {
			at = len(trials)
			trials = append(trials, trial{mutation: m, number: at + 1, folder: folder})
		}
		trials[at].rows = append(trials[at].rows, p)
	}
	slices.SortStableFunc(trials, func(a, b trial) int { return strings.Compare(a.folder, b.folder) })
	return trials, nil
}
