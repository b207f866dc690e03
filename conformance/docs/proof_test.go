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
	fsys[spared] = &fstest.MapFile{Data: []byte("id\treason\nAIMEM-2.1-3\ta\nENGRAM-3.9-CORR-1\tb\nENGRAM-A-1\tc\nAICF-STR-8\td\nAAIF-U.W-1\te\n")}
	return fsys
}

func TestProofProblems(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"it is up to date":           {"UMP-2-1\tump/a.go\tn > 0 && \t/**/\tump TestA", ""},
		"a vector claims the row":    {"UMP-2-2\tump/a.go\tn > 0 && \t/**/\tump TestVectors", "UMP-2-1: it is tested, and there is neither a proof nor a reason why not"},
		"a proof has a reason":       {"UMP-2-1\tump/a.go\tn > 0 && \t/**/\tump TestA\nENGRAM-A-1\tump/a.go\tn > 0 && \t/**/\tengram TestB", "ENGRAM-A-1: it has a proof: remove its reason"},
		"the code is gone":           {"UMP-2-1\tump/a.go\tn > 1\ttrue\tump TestA", "UMP-2-1: the line is out of date: ump/a.go has its code 0 times"},
		"the code stands there more": {"UMP-2-1\tump/a.go\tn \tm\tump TestA", "UMP-2-1: the line is out of date: ump/a.go has its code 4 times"},
		"another test":               {"UMP-2-1\tump/a.go\tn > 0\ttrue\tump TestA\nUMP-2-2\tump/a.go\tn > 0\ttrue\tengram TestB", "UMP-2-2: engram TestB does not claim it"},
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

func TestReasonsAreForTestedRows(t *testing.T) {
	fsys := proven("UMP-2-1\tump/a.go\tn > 0 && \t/**/\tump TestA")
	fsys[spared].Data = append(fsys[spared].Data, "UMP-3-4\tf\n"...)
	report, err := Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if got := report.ProofProblems(fsys); len(got) != 1 || got[0] != "UMP-3-4: it is not tested: remove its reason" {
		t.Errorf("got %q", got)
	}
	if text := string(report.Markdown()); !strings.Contains(text, "Of 6 rows that are tested, 1 have a proof") || !strings.Contains(text, "6 have a reason") {
		t.Errorf("the document says %s", text)
	}
}

func TestProofsNeedTheirColumns(t *testing.T) {
	if _, err := Read(proven("UMP-2-1\tump/a.go")); err == nil || err.Error() != proofs+":2: want 5 columns, none empty" {
		t.Errorf("got %v", err)
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
		"another vector fails":          {"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/two (0.00s)\nFAIL\n", true, "goes red without a word of the row"},
		"another test fails":            {"--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/UMP-2-1_one (0.00s)\nFAIL\n", false, "stays green"},
		"nothing fails":                 {"ok  \tump\t0.1s\n", false, "stays green"},
		"it does not compile":           {"ump/a.go:3: undefined\nFAIL\tump [build failed]\n", false, "the broken code does not compile"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := p.judge(c.said, claimant{data: c.data, names: []string{"one"}}, nil); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestJudgeOfRuns(t *testing.T) {
	p := proof{ID: "UMP-2-1", Test: "ump TestRun"}
	const head = "--- FAIL: TestRun (0.00s)\n    --- FAIL: TestRun/UMP-2-1_UMP-2-2_every_row (0.00s)\n"
	for said, want := range map[string]string{
		"        run_test.go:1: fail UMP-2-1: no\n":                                                              "",
		"        run_test.go:1: fail UMP-2-2: no\n":                                                              "goes red without a word of the row",
		"        run_test.go:1: TestRun.passed differs (-want +got)\n          \tUMP-2-1\n        - \tUMP-2-2\n": "goes red without a word of the row",
		"        run_test.go:1: TestRun.passed differs (-want +got)\n        - \tUMP-2-1\n":                      "",
		"        run_test.go:1: UMP-2-1 is not tried: no key\n":                                                  "goes red without a word of the row",
	} {
		if got := p.judge(head+said, claimant{named: true, run: true}, nil); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}

func TestJudgeOfScripts(t *testing.T) {
	const said = "--- FAIL: TestScripts (0.00s)\n    --- FAIL: TestScripts/a (0.50s)\n        testscript.go:609: # UMP-2-1 one (0.536s)\n            # UMP-2-2 two (0.1s)\n" +
		"            > exec satchel\n            FAIL: testdata/script/a.txt:12: no match\n    --- FAIL: TestScripts/b (0.50s)\n        testscript.go:609: # UMP-2-3 three\n"
	for row, want := range map[string]string{
		"UMP-2-2 TestScripts/a": "", "UMP-2-3 TestScripts/b": "", "UMP-2-1 TestScripts/c": "stays green",
		"UMP-2-1 TestScripts/a": "goes red without a word of the row", "UMP-2-3 TestScripts/a": "goes red without a word of the row",
	} {
		id, test, _ := strings.Cut(row, " ")
		if got := (proof{ID: id, Test: "cmd " + test}).judge(said, claimant{named: true}, nil); got != want {
			t.Errorf("%s: got %q, want %q", row, got, want)
		}
	}
}
