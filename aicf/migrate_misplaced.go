package aicf

import (
	"slices"
	"strings"
)

// placedSession returns a session of this format. What another writer calls a session and is
// none becomes a section for other lines.
func (m *migration) placedSession(s *Session) []Entry {
	m.session(s)
	s.Extra = unreadable(s.Extra, map[string]bool{
		"created_at": s.CreatedAt.said(), "last_update_time": s.LastUpdateTime.said(),
		"event_count": s.EventCount != nil, "total_tokens": s.TotalTokens != nil, "session_duration_seconds": s.DurationSeconds != nil,
	})
	s.Extra = asFields(s.Extra)
	if said := s.Status; said == "in_progress" && m.mapsWords() {
		s.Status, s.Extra = "active", extra(s.Extra, extensionKey("status"), string(said))
	}
	if s.Status != "" && !SessionStatuses().Has(s.Status) && m.mapsWords() {
		return m.misplaced(s)
	}
	return m.complying(s)
}

// complying returns an entry if the format accepts it, else a section for other lines.
func (m *migration) complying(e Entry) []Entry {
	k := checker{log: findingList{most: 1000}, entry: e}
	k.entryRules(e)
	if Fatal(k.log.findings, false) {
		return m.misplaced(e)
	}
	return []Entry{e}
}

// misplaced keeps the lines of an entry in a section for other lines. An entry of a dialect
// without sections has the lines that say what it says.
func (m *migration) misplaced(e Entry) []Entry {
	place := *e.Place()
	if place.Raw == "" {
		lines, err := Lines(e)
		if err != nil {
			return []Entry{e}
		}
		place.Raw = strings.Join(lines, "\n")
	}
	name, id := Heading(e)
	return []Entry{m.keep(&place, strings.TrimSpace(name+" "+id), fieldsOf(place.Raw))}
}

// fieldsOf returns the lines behind a header as fields.
func fieldsOf(raw string) []Field {
	var fields []Field
	for _, text := range strings.Split(raw, "\n")[1:] {
		if f, ok := splitField(text); ok {
			fields = append(fields, f)
		} else if strings.TrimSpace(text) != "" {
			fields = append(fields, Field{Raw: text})
		}
	}
	return fields
}

// unreadable renames the fields whose values a member could not hold; read says which
// members hold one. They stay as they are, beside what is assumed instead.
func unreadable(fields []Field, read map[string]bool) []Field {
	for i, f := range fields {
		if held, is := read[f.Key]; is && !held {
			fields[i].Key = extensionKey(f.Key)
		}
	}
	return fields
}

// asFields gives a key to the lines without one.
func asFields(fields []Field) []Field {
	for i, f := range fields {
		if f.Key == "" {
			fields[i] = Field{extensionKey("line"), Escape(f.Raw)}
		}
	}
	return fields
}

// valid returns an unknown section with a header and lines of this format. A header that is
// none becomes the identifier of a section for other lines.
func (m *migration) valid(u *Unknown) Entry {
	first, rest, more := strings.Cut(u.Raw, "\n")
	h := headOf([]byte(first))
	if h.shape != plainHead {
		name, fields := strings.TrimPrefix(first, "@"), fieldsOf(u.Raw)
		if len(name) > longName {
			name, fields = "", append([]Field{{Raw: first}}, fields...)
		}
		return m.keep(&u.Origin, name, fields)
	}
	first = first[:h.end] + strings.TrimSuffix(first[h.end:], ":")
	if !more {
		return &Unknown{Origin: Origin{Line: u.Line, Raw: first}, Name: u.Name, ID: u.ID}
	}
	lines := strings.Split(rest, "\n")
	for i, text := range lines {
		if strings.HasPrefix(text, "@") {
			lines[i] = "line=" + Escape(text)
		}
	}
	return &Unknown{Origin: Origin{Line: u.Line, Raw: first + "\n" + strings.Join(lines, "\n")}, Name: u.Name, ID: u.ID}
}

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
