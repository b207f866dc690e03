package main

import (
	"go/ast"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	identifier = regexp.MustCompile(`\b(?:(?:UMP1?|AIMEM)-[0-9.]+|ENGRAM-(?:A|[0-9.]+)(?:-[A-Z]+)?|AICF-[A-Z]+|AAIF-(?:U\.[A-Za-z.]+|[0-9.]+))-[0-9]+`)
	field      = regexp.MustCompile(`(?m)^[\s#{"]*(?:ids?|rules?|requirement)"?\s*:.*$`)
	section    = regexp.MustCompile(`(?m)^# (?:UMP1?|AIMEM|ENGRAM|AICF|AAIF)-.*$`)
)

// claims finds, by id, the tests of requirements: "ump TestDecode" for a test or a test
// helper, "ump/testdata/record" for vectors, the file's name for a script. runs are the
// claims of runs of a suite, vectors the names of the files that are vectors, without ending.
func claims(fsys fs.FS) (found, runs, vectors map[string][]string, err error) {
	found, runs, vectors = map[string][]string{}, map[string][]string{}, map[string][]string{}
	claim := func(id, where string) {
		if !slices.Contains(found[id], where) {
			found[id] = append(found[id], where)
		}
	}
	source := map[string][]*ast.File{} // by folder
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if skipped(name) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go" && path.Ext(name) != passed && !isVector(name):
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		switch path.Ext(name) {
		case ".go":
		case passed:
			inRun(name, text, func(id, where string) {
				claim(id, where)
				runs[id] = append(runs[id], where)
			})
			return nil
		default:
			inData(name, text, func(id, where string) {
				claim(id, where)
				vectors[id] = append(vectors[id], strings.TrimSuffix(path.Base(name), path.Ext(name)))
			})
			return nil
		}
		file, err := parsed(name, text)
		if file != nil {
			source[path.Dir(name)] = append(source[path.Dir(name)], file)
		}
		return err
	})
	for _, folder := range slices.Sorted(maps.Keys(source)) {
		inSource(folder, source[folder], claim)
	}
	for _, where := range found {
		slices.Sort(where)
	}
	return found, runs, vectors, err
}

// skipped names the folders that make no claims: this one, whose tests invent rows, and
// folders that are not ours.
func skipped(name string) bool {
	base := path.Base(name)
	return name == "conformance/docs" || base == "vendor" || name != "." && strings.HasPrefix(base, ".")
}

// isVector reports whether tests read their cases from a file. Files with expected answers
// claim nothing.
func isVector(name string) bool {
	ext := path.Ext(name)
	return strings.Contains(name, "testdata/") && (ext == ".json" || ext == ".txt" || ext == ".txtar")
}

// passed ends the names of files that list the rows which Satchel passes in a run of the
// conformance suite, one a line. The test of that name makes the run and compares.
const passed = ".passed"

// inRun finds the claims of a run.
func inRun(name string, text []byte, claim func(id, where string)) {
	test := strings.TrimSuffix(path.Base(name), passed)
	for id := range strings.FieldsSeq(string(text)) {
		claim(id, path.Dir(path.Dir(name))+" "+test)
	}
}

// inData finds claims in the fields of a vector, and in those comments of a script that
// begin with an id.
func inData(name string, text []byte, claim func(id, where string)) {
	where, lines := path.Dir(name), field
	if path.Base(where) == "script" {
		where, lines = name, section
	}
	for _, line := range lines.FindAll(text, -1) {
		for _, id := range identifier.FindAll(line, -1) {
			claim(string(id), where)
		}
	}
}
