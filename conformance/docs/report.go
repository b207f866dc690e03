package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Row is one requirement.
type Row struct {
	ID      string
	Keyword string // MUST, SHOULD, MAY, or IMPLIED where the text has none
	Level   string // the lowest level that nobody can claim without the row: L0 to L3, or a name
	Section string
	What    string
}

// specification is a specification and its part of the document.
type specification struct {
	prefix  string   // of its ids
	file    string   // of its tables, without ending
	preface string   // of its part of the document
	levels  []string // of conformance, lowest first
}

func specifications() []specification {
	numbers := []string{"L0", "L1", "L2", "L3"}
	return []specification{
		{"UMP", "ump", prefaceUMP, numbers},
		{"AIMEM-", "aimem", prefaceAIMEM, numbers},
		{"ENGRAM-", "engram", prefaceEngram, numbers},
		{"AICF-", "aicf", prefaceAICF, numbers},
		{"AAIF-", "aaif", prefaceAAIF, []string{"Core", "Tooled", "Portable", "Multi-agent", "Observable", "Enterprise", "Stateful"}},
	}
}

// levels returns the levels of the row's specification.
func levels(id string) []string {
	for _, s := range specifications() {
		if strings.HasPrefix(id, s.prefix) {
			return s.levels
		}
	}
	return nil
}

// Report is everything known about every requirement.
type Report struct {
	Rows    []Row
	Notes   map[string]string   // by id: why a row has no test
	Claims  map[string][]string // by id: where tests cover a row, in order
	Runs    map[string][]string // by id: which of them run a suite on Satchel that says so
	Vectors map[string][]string // by id: the names of the vectors among them, without ending
	Proofs  map[string]bool     // by id: the table of proofs breaks the row's rule
	Spared  map[string]string   // by id: why nothing breaks the row's rule
}

// Read collects the requirements, the notes and the claims of the tests below the module's
// root.
func Read(fsys fs.FS) (*Report, error) {
	r := &Report{Notes: map[string]string{}, Proofs: map[string]bool{}, Spared: map[string]string{}}
	for _, s := range specifications() {
		rows, err := columns(fsys, "conformance/requirements/"+s.file+".tsv", 5)
		if err != nil {
			return nil, err
		}
		notes, err := columns(fsys, "conformance/requirements/"+s.file+"-notes.tsv", 2)
		if err != nil {
			return nil, err
		}
		for _, f := range rows {
			r.Rows = append(r.Rows, Row{f[0], f[1], f[2], f[3], f[4]})
		}
		for _, f := range notes {
			r.Notes[f[0]] = f[1]
		}
	}
	if err := r.readProven(fsys); err != nil {
		return nil, err
	}
	var err error
	r.Claims, r.Runs, r.Vectors, err = claims(fsys)
	return r, err
}

// readProven reads which rows are proven, and which cannot be.
func (r *Report) readProven(fsys fs.FS) error {
	all, err := readProofs(fsys)
	if err != nil {
		return err
	}
	for _, p := range all {
		r.Proofs[p.ID] = true
	}
	reasons, err := columns(fsys, spared, 2)
	for _, f := range reasons {
		r.Spared[f[0]] = f[1]
	}
	return err
}

// columns reads a file of tab-separated columns and drops its header.
func columns(fsys fs.FS, name string, number int) ([][]string, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != number || slices.Contains(fields, "") {
			return nil, fmt.Errorf("%s:%d: want %d columns, none empty", name, i+1, number)
		}
		if i > 0 {
			rows = append(rows, fields)
		}
	}
	return rows, nil
}

// Problems lists contradictions: unknown ids, rows that are listed twice or have no level,
// notes about rows that have a test.
func (r *Report) Problems() []string {
	var found []string
	known := map[string]bool{}
	for _, row := range r.Rows {
		if known[row.ID] {
			found = append(found, row.ID+" is listed twice")
		}
		known[row.ID] = true
		if !slices.Contains(levels(row.ID), row.Level) {
			found = append(found, row.ID+" is of no level: "+row.Level)
		}
	}
	for id, where := range r.Claims {
		if !known[id] {
			found = append(found, fmt.Sprintf("%s does not exist, but is named in %s", id, strings.Join(where, ", ")))
		}
	}
	for id := range r.Notes {
		switch tested := len(r.Claims[id]) > 0; {
		case !known[id]:
			found = append(found, id+" does not exist, but has a note")
		case tested && !r.inPart(id):
			found = append(found, fmt.Sprintf("%s is tested in %s: remove its note, or begin it with %q", id, strings.Join(r.Claims[id], ", "), inPart))
		case !tested && r.inPart(id):
			found = append(found, id+" is said to be tested in part, but no test names it")
		}
	}
	slices.Sort(found)
	return found
}

// inPart begins the note of a row whose tests show only a part of it. pending precedes, in
// any note, the part that is not there yet: such a row is neither met nor excused.
const (
	inPart  = "in part: "
	pending = "pending: "
)

func (r *Report) inPart(id string) bool { return strings.HasPrefix(r.Notes[id], inPart) }

// tested reports whether tests cover the whole of a row, by their own claims.
func (r *Report) tested(row Row) bool { return len(r.Claims[row.ID]) > 0 && !r.inPart(row.ID) }

// pending reports whether a row, or a part of it, is still to come.
func (r *Report) pending(row Row) bool { return strings.Contains(r.Notes[row.ID], pending) }

// explained reports whether a row is met only in part, or not at all, for a permanent
// reason.
func (r *Report) explained(row Row) bool { return r.Notes[row.ID] != "" && !r.pending(row) }

// Open lists the rows that have neither a test nor a note.
func (r *Report) Open() []Row {
	var open []Row
	for _, row := range r.Rows {
		if len(r.Claims[row.ID]) == 0 && r.Notes[row.ID] == "" {
			open = append(open, row)
		}
	}
	return open
}

// Tested counts the rows that have a test.
func (r *Report) Tested() int { return r.count(r.tested) }

// Proven counts the tested rows whose rule the table of proofs breaks.
func (r *Report) Proven() int {
	return r.count(func(row Row) bool { return r.tested(row) && r.Proofs[row.ID] })
}

// Pending counts the rows that are still to come, in part or in whole.
func (r *Report) Pending() int { return r.count(r.pending) }

// Explained counts the rows that have another note instead of tests, or beside them.
func (r *Report) Explained() int { return r.count(r.explained) }

func (r *Report) count(counts func(Row) bool) int {
	n := 0
	for _, row := range r.Rows {
		if counts(row) {
			n++
		}
	}
	return n
}
