// Command docs writes docs/conformance.md: for every requirement of a specification, the
// test that covers it, or the reason why none does yet.
//
//	conformance/requirements/ump.tsv                 the requirements, in short words of our own
//	conformance/requirements/ump-notes.tsv           why a row has no test
//	conformance/requirements/aimem.tsv, aimem-notes.tsv    the same of AIMEM
//	conformance/requirements/engram.tsv, engram-notes.tsv  the same of Engram
//	conformance/requirements/aicf.tsv, aicf-notes.tsv      the same of AICF
//	conformance/requirements/aaif.tsv, aaif-notes.tsv      the same of AAIF
//	*_test.go, suites                         names of tests and subtests, also from tables, but not of mutants
//	testdata/*.passed                         the rows that a run of the conformance suite on Satchel passes
//	testdata/                                 fields "requirement", "id" and "rule" of vectors
//	docs/requirements/proof.tsv               how to break the rule of a row, and the test that then fails
//	docs/requirements/proof-notes.tsv         why nothing breaks the rule of a row
//	testdata/script/                          comments that begin a section: "# UMP-2-1 what it shows"
//
// A note that begins with "in part: " accompanies tests. The text after "pending: " in a
// note is still to come, and counts neither as met nor as explained. The command prints rows
// without tests and notes; they fail the tests of this package. With -prove it breaks each
// rule of proof.tsv instead, one at a time, and wants its test to fail.
package main

//go:generate go run . -root ../..

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// document is the path of the result, below the root.
const document = "docs/conformance.md"

func main() {
	root := flag.String("root", ".", "root of the module")
	breaks := flag.Bool("prove", false, "break the rules as docs/requirements/proof.tsv says, and run the tests; arguments are the beginnings of ids")
	talk := flag.Bool("v", false, "with -prove: print what the tests of unproven lines print")
	flag.Parse()
	if *breaks {
		failed, err := prove(*root, flag.Args(), *talk, os.Stdout)
		if err != nil {
			fmt.Fprintln(os.Stderr, "conformance:", err)
		}
		if err != nil || failed > 0 {
			os.Exit(1)
		}
		return
	}
	if err := run(*root, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// run writes the document and prints the open rows.
func run(root string, out io.Writer) error {
	report, err := Read(os.DirFS(root))
	if err != nil {
		return err
	}
	for _, problem := range report.Problems() {
		fmt.Fprintln(out, problem)
	}
	open := report.Open()
	for _, row := range open {
		fmt.Fprintf(out, "%-11s %s  %s\n", row.ID, row.Level, row.What)
	}
	fmt.Fprintf(out, "%d of %d rows are tested, %d are explained, %d are pending, %d are open\n",
		report.Tested(), len(report.Rows), report.Explained(), report.Pending(), len(open))
	return os.WriteFile(filepath.Join(root, document), report.Markdown(), 0o644)
}
