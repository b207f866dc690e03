package main

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

const root = "../.."

// readOnce reads the tree, which takes a while.
var readOnce = sync.OnceValues(func() (*Report, error) { return Read(os.DirFS(root)) })

func read(t *testing.T) *Report {
	t.Helper()
	report, err := readOnce()
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestTheDocumentIsFresh(t *testing.T) {
	got, err := os.ReadFile(root + "/" + document)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, read(t).Markdown()) {
		t.Errorf("%s is stale; run: go generate ./conformance/docs", document)
	}
}

func TestClaimsAndNotesNameRowsThatExist(t *testing.T) {
	for _, problem := range read(t).Problems() {
		t.Error(problem)
	}
}

func TestProofsAreUpToDate(t *testing.T) {
	for _, problem := range read(t).ProofProblems(os.DirFS(root)) {
		t.Error(problem)
	}
}

// A release at level 2 explains what it does not test of level 3 as well.
func TestEveryRowIsTestedOrExplained(t *testing.T) {
	for _, row := range read(t).Open() {
		t.Errorf("%s (%s) is neither tested nor explained in the notes beside the list: %s", row.ID, row.Level, row.What)
	}
}

// small is a tree with one row of each fate.
func small() fstest.MapFS {
	files := map[string]string{
		"conformance/requirements/ump.tsv":          "id\tkeyword\tlevel\tsection\twhat\nUMP-2-1\tMUST\tL0\t2 R\tone\nUMP-2-2\tMAY\tL1\t2 R\ttwo|2\nUMP-2.1-3\tMUST\tL3\t2.1 K\tthree\nUMP-3-4\tMUST\tL2\t3 O\tfour\n",
		"conformance/requirements/ump-notes.tsv":    "id\treason\nUMP-2.1-3\tlater\nUMP-2-2\tin part: half\n",
		"conformance/requirements/aimem.tsv":        "id\tkeyword\tlevel\tsection\twhat\nAIMEM-2.1-3\tMUST\tL2\t2.1 E\tfive\n",
		"conformance/requirements/aimem-notes.tsv":  "id\treason\n",
		"conformance/requirements/engram.tsv":       "id\tkeyword\tlevel\tsection\twhat\nENGRAM-3.9-CORR-1\tMUST\tL2\t3.9 P\tsix\nENGRAM-A-1\tMUST\tL1\tA\tseven\n",
		"conformance/requirements/engram-notes.tsv": "id\treason\n",
		"conformance/requirements/aicf.tsv":         "id\tkeyword\tlevel\tsection\twhat\nAICF-STR-8\tMUST\tL1\tE\teight\n",
		"conformance/requirements/aicf-notes.tsv":   "id\treason\n",
		"conformance/requirements/aaif.tsv":         "id\tkeyword\tlevel\tsection\twhat\nAAIF-U.W-1\tMUST\tCore\tW\tnine\nAAIF-4.9-2\tMUST\tEnterprise\t4.9 C\tten\nAAIF-8.2-8\tMUST\tStateful\t8.2 T\televen\n",
		"conformance/requirements/aaif-notes.tsv":   "id\treason\nAAIF-4.9-2\tpending: comes later\nAAIF-8.2-8\tin part: half; pending: the rest\n",
		"aaif/a_test.go":                            "package aaif\n\nfunc TestC(t *testing.T) { t.Run(\"AAIF-8.2-8_eleven AAIF-U.W-1\", nil) }\n",
		"aicf/testdata/a.txtar":                     "One.\n\nrule: AICF-STR-8\n-- in --\n1|@A AICF-STR-9\n",
		"engram/a_test.go":                          "package engram\n\nfunc TestB(t *testing.T) { t.Run(\"ENGRAM-3.9-CORR-1 six ENGRAM-A-1 seven\", nil) }\n",
		"aimem/a_test.go":                           "package aimem\n\nfunc TestAIMEM_2_1_3(t *testing.T) { t.Run(\"AIMEM-2.1-3 five\", nil) }\n",
		proofs:                                      "id\tfile\tcode\tbroken\ttest\n",
		spared:                                      "id\treason\n",
		"ump/a_test.go":                             "package ump\n\n// UMP-9-9 in a comment claims nothing.\nfunc TestA(t *testing.T) { t.Run(\"UMP-2-1 and UMP-2-2\", nil) }\n",
		"ump/a.go":                                  "package ump\n\nconst rule = \"UMP-9-9\"\n",
		"ump/testdata/v/one.json":                   "{\n  \"id\": \"UMP-2-2\",\n  \"text\": \"UMP-9-9\"\n}\n",
		"suite/suite.go":                            "package suite\n\nimport \"testing\"\n\nfunc Run(t *testing.T) { t.Run(\"UMP-2-1\", nil) }\n",
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = newFile(text)
	}
	return fsys
}

func newFile(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestReport(t *testing.T) {
	report, err := Read(small())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"AAIF-8.2-8":        {"aaif TestC"},
		"AAIF-U.W-1":        {"aaif TestC"},
		"AICF-STR-8":        {"aicf/testdata"},
		"AIMEM-2.1-3":       {"aimem TestAIMEM_2_1_3"},
		"ENGRAM-3.9-CORR-1": {"engram TestB"},
		"ENGRAM-A-1":        {"engram TestB"},
		"UMP-2-1":           {"suite Run", "ump TestA"},
		"UMP-2-2":           {"ump TestA", "ump/testdata/v"},
	}
	if !maps.EqualFunc(report.Claims, want, slices.Equal) {
		t.Errorf("claims are %v, want %v", report.Claims, want)
	}
	if problems := report.Problems(); len(problems) != 0 {
		t.Errorf("problems are %v, want none", problems)
	}
	if open := report.Open(); len(open) != 1 || open[0].ID != "UMP-3-4" {
		t.Errorf("open are %v, want UMP-3-4", open)
	}
	if report.Tested() != 6 || report.Explained() != 2 || report.Pending() != 2 {
		t.Errorf("%d are tested, %d explained, %d pending; want 6, 2, 2", report.Tested(), report.Explained(), report.Pending())
	}
	text := string(report.Markdown())
	for _, line := range []string{
		"| L0 | 1 | 1 | 0 | 0 | 0 |", "| L1 | 1 | 0 | 1 | 0 | 0 |", "| L2 | 1 | 0 | 0 | 0 | 1 |", "| L3 | 1 | 0 | 1 | 0 | 0 |",
		"| Core | 1 | 1 | 0 | 0 | 0 |", "| Enterprise | 1 | 0 | 0 | 1 | 0 |", "| Stateful | 1 | 0 | 0 | 1 | 0 |",
		"| AAIF-4.9-2 | MUST | Enterprise | ten | *pending: comes later* |",
		"| AAIF-8.2-8 | MUST | Stateful | eleven | `aaif` TestC; *in part: half; pending: the rest* |",
		"| AIMEM-2.1-3 | MUST | L2 | five | `aimem` TestAIMEM_2_1_3 |",
		"| UMP-2-1 | MUST | L0 | one | `suite` Run; `ump` TestA |",
		"| UMP-2-2 | MAY | L1 | two\\|2 | `ump` TestA; vectors in `ump/testdata/v`; *in part: half* |",
		"| UMP-2.1-3 | MUST | L3 | three | *not yet: later* |",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

func TestProblems(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"a test names a row that does not exist", "x/x_test.go", "package x\n\nfunc TestX(t *testing.T) { t.Run(\"UMP-7-77\", nil) }\n", "UMP-7-77 does not exist, but is named in x TestX"},
		{"a vector names a row that does not exist", "x/testdata/v.txt", "id: UMP-7-77\n", "UMP-7-77 does not exist, but is named in x/testdata"},
		{"a note names a row that does not exist", "conformance/requirements/ump-notes.tsv", "id\treason\nUMP-7-77\tlater\n", "UMP-7-77 does not exist, but has a note"},
		{"a note excuses what is tested", "conformance/requirements/ump-notes.tsv", "id\treason\nUMP-2-2\tlater\n", "UMP-2-2 is tested in ump TestA, ump/testdata/v: remove its note, or begin it with \"in part: \""},
		{"a note speaks of tests that are not there", "conformance/requirements/ump-notes.tsv", "id\treason\nUMP-3-4\tin part: half\n", "UMP-3-4 is said to be tested in part, but no test names it"},
		{"a row is listed twice", "conformance/requirements/ump.tsv", "id\tkeyword\tlevel\tsection\twhat\nUMP-2-1\tMUST\tL0\t2 R\tone\nUMP-2-1\tMUST\tL0\t2 R\tone\nUMP-2-2\tMUST\tL0\t2 R\ttwo\nUMP-2.1-3\tMUST\tL0\t2 R\tthree\n", "UMP-2-1 is listed twice"},
		{"a level of another specification", "conformance/requirements/aicf.tsv", "id\tkeyword\tlevel\tsection\twhat\nAICF-STR-8\tMUST\tCore\tE\teight\n", "AICF-STR-8 is of no level: Core"},
		{"a level that does not exist", "conformance/requirements/ump.tsv", "id\tkeyword\tlevel\tsection\twhat\nUMP-2-1\tMUST\tL9\t2 R\tone\nUMP-2-2\tMUST\tL0\t2 R\ttwo\nUMP-2.1-3\tMUST\tL0\t2 R\tthree\n", "UMP-2-1 is of no level: L9"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys := small()
			fsys[test.file] = &fstest.MapFile{Data: []byte(test.text)}
			report, err := Read(fsys)
			if err != nil {
				t.Fatal(err)
			}
			if found := report.Problems(); len(found) != 1 || found[0] != test.want {
				t.Errorf("problems are %q, want %q", found, test.want)
			}
		})
	}
}
