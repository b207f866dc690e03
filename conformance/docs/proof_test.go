package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

// proven is a tree with one row, its rule, its test and the line that breaks the rule.
func proven(line string) fstest.MapFS {
	fsys := small()
	fsys["ump/a.go"] = &fstest.MapFile{Data: []byte("package ump\n\nfunc ok(n int) bool { return n > 0 && n < 9 }\n")}
	fsys[proofs] = &fstest.MapFile{Data: []byte("id\tfile\tcode\tbroken\ttest\n" + line + "\n")}
	return fsys
}

func TestProofProblems(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"it is up to date":           {"UMP-2-1\tump/a.go\tn > 0 && \t/**/\tump TestA", ""},
		"a vector claims the row":    {"UMP-2-2\tump/a.go\tn > 0 && \t/**/\tump TestVectors", ""},
		"the code is gone":           {"UMP-2-1\tump/a.go\tn > 1\ttrue\tump TestA", "UMP-2-1: the line is out of date: ump/a.go has its code 0 times"},
		"the code stands there more": {"UMP-2-1\tump/a.go\tn \tm\tump TestA", "UMP-2-1: the line is out of date: ump/a.go has its code 4 times"},
		"another test":               {"UMP-2-1\tump/a.go\tn > 0\ttrue\tump TestB", "UMP-2-1: ump TestB does not claim it"},
		"no columns":                 {"UMP-2-1\tump/a.go", proofs + ":2: want 5 columns, none empty"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := proven(c.line)
			report, err := Read(fsys)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(report.ProofProblems(fsys), "; "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestProofsSpellLines(t *testing.T) {
	all, err := readProofs(proven(`UMP-2-1	ump/a.go	package ump\n\nfunc ok	package ump\\n\t	ump TestA`))
	if err != nil || len(all) != 1 || all[0].Code != "package ump\n\nfunc ok" || all[0].Broken != "package ump\\n\t" {
		t.Errorf("%v %+v", err, all)
	}
}

func TestJudge(t *testing.T) {
	p := proof{ID: "UMP-2-1", Test: "ump TestA"}
	for name, c := range map[string]struct {
		said string
		data bool
		want string
	}{
		"the row's subtest fails":       {"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/UMP-2-1_one (0.00s)\nFAIL\n", false, ""},
		"a subtest of two rows fails":   {"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/UMP-2-2_UMP-2-1_one (0.00s)\nFAIL\n", false, ""},
		"a run says that the row fails": {"--- FAIL: TestA (0.00s)\n    a_test.go:1: fail UMP-2-1: no\nFAIL\n", false, ""},
		"a row of a longer id fails":    {"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/UMP-2-11_one (0.00s)\nFAIL\n", false, "goes red without a word of the row"},
		"a vector fails":                {"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one (0.00s)\nFAIL\n", true, ""},
		"another test fails":            {"--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/UMP-2-1_one (0.00s)\nFAIL\n", false, "stays green"},
		"nothing fails":                 {"ok  \tump\t0.1s\n", false, "stays green"},
		"it does not compile":           {"ump/a.go:3: undefined\nFAIL\tump [build failed]\n", false, "the broken code does not compile"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := p.judge(c.said, claimant{data: c.data}, nil); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
