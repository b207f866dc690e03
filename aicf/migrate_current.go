package aicf

import "slices"

// mend returns the contents of a file of 3.1 with the entries that break the format as a
// migration makes them of older files. Other entries stay as they are.
func (m *migration) mend(broken []int) *Contents {
	c := *m.from
	c.Entries = nil
	for _, e := range m.from.Entries {
		if !m.mends(e, broken) {
			c.Entries = append(c.Entries, e)
			continue
		}
		for _, made := range m.entry(e) {
			m.note(e, made)
			c.Entries = append(c.Entries, made)
		}
	}
	return &c
}

// mends reports whether an entry has a broken line that a migration moves or renames.
func (m *migration) mends(e Entry, broken []int) bool {
	switch e.(type) {
	case *Gap:
		return false
	case *Declaration:
		if !m.declared {
			m.declared = true
			return false
		}
	}
	place := e.Place()
	i, _ := slices.BinarySearch(broken, place.Line)
	return i < len(broken) && broken[i] < place.end()
}

// mendable returns, in order, the lines of a file with headers, values and sections of other writers.
func mendable(f *File, c *Contents, read []Finding, o Options) []int {
	var lines []int
	for _, found := range [][]Finding{f.Findings(), read, Check(c, o)} {
		for _, one := range found {
			if one.Severity == Broken && one.Line > 0 && slices.Contains([]string{codeHeader, codeValue, codeRequired, codeDimension}, one.Code) {
				lines = append(lines, one.Line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// resultFindings returns what is wrong with the result of a migration. A file of 3.1 keeps
// its lines, with whatever no migration mends, so that it is read again.
func resultFindings(c *Contents, from Report, o Options) []Finding {
	if from.Dialect == Spec && from.From >= V31 {
		if out, _, err := Encode(c, WriteOptions{Preserve: true}); err == nil {
			if found, err := Validate(out, o); err == nil {
				return slices.DeleteFunc(found, func(f Finding) bool { return f.Code == codeUnknownField || f.Code == codeUnknownSection })
			}
		}
	}
	return Check(c, o)
}

// Unmended returns the first header or value that is broken in the result of a migration of
// a file of 3.1; false: there is none.
func (r Report) Unmended() (Finding, bool) {
	if r.Dialect != Spec || r.From < V31 {
		return Finding{}, false
	}
	i := slices.IndexFunc(r.Findings, func(f Finding) bool {
		return f.Severity == Broken && slices.Contains([]string{codeHeader, codeValue, codeLineNumber}, f.Code)
	})
	if i < 0 {
		return Finding{}, false
	}
	return r.Findings[i], true
}
