package aicf

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

// Report says what [Migrate] made of a file.
type Report struct {
	Dialect  Dialect        // the original dialect
	From     Version        // the original version
	Changes  []Change       // what became something else, in the order of the result
	Kept     []Change       // what only unknown sections can hold
	Counts   map[string]int // entries of the result, by section
	Assumed  []Change       // required values that the file lacks; entries name them in x_assumed
	Findings []Finding      // faults and oddities of the result
}

// Change is a migrated entry. Line is its line in the original file.
type Change struct {
	Line       int
	From, Into string
}

// String renders the change in one line.
func (c Change) String() string {
	text := c.From + " -> " + c.Into
	if c.Line > 0 {
		text = fmt.Sprintf("line %d: %s", c.Line, text)
	}
	return text
}

// Migrate reads a file of any version and dialect, and returns contents of version 3.1
// without losing anything (AICF-COMPAT-6). It keeps what the format cannot say in unknown
// members and sections. It redacts nothing (AICF-PII-6). A file of the specification's 3.1
// stays as it is but for entries that break the format, and so does a later 3.x as far as it
// is understood.
//
// It fails with a [codec.ParseError] when the file exceeds a limit, and for a later major
// version unless o forces it.
func Migrate(data []byte, o Options) (*Contents, Report, error) {
	text, found := withoutControls(data)
	f, err := Parse(text, o)
	if err != nil {
		return nil, Report{}, err
	}
	c, report, err := migrate(f, o)
	if err != nil {
		return nil, report, err
	}
	again, _, _ := migrate(f, o) // redacted only to count
	found = append(found, personal(Redactor{Unknown: true}.Contents(again))...)
	for _, e := range c.Entries {
		if _, gap := e.(*Gap); !gap {
			kind, _, _ := strings.Cut(nameOf(e), " ")
			report.Counts[kind]++
		}
	}
	report.Findings = append(found, resultFindings(c, report, o)...)
	return c, report, nil
}

// isCurrent reports whether contents declare to be of the specification's 3.1 or later.
// [Migrate] leaves their valid entries as they are.
func isCurrent(c *Contents) bool {
	return c.Dialect == Spec && c.Version >= V31 && c.Declared != ""
}

// OnlyForeign reports whether nothing is broken but headers and values of other writers,
// which [Migrate] moves to where the format has a place for them.
func OnlyForeign(found []Finding) bool {
	return !slices.ContainsFunc(found, func(f Finding) bool {
		return f.Severity == Broken && f.Code != codeValue && f.Code != codeHeader
	})
}

// migrate reads a file and makes entries of 3.1.
func migrate(f *File, o Options) (*Contents, Report, error) {
	c, read := Read(f, o)
	report := Report{Dialect: c.Dialect, From: c.Version, Counts: map[string]int{}}
	if c.Version.Major() > V31.Major() && !o.Force {
		return nil, report, &codec.ParseError{Format: Name, Rule: "AICF-FWD-5",
			Err: fmt.Errorf("version %s is of a later kind than %s", c.Version, V31)}
	}
	m := newMigration(c, &report)
	m.modified = o.Modified.UTC().Truncate(time.Second)
	if !isCurrent(c) {
		c = m.run()
	} else if broken := mendable(f, c, read, o); len(broken) > 0 {
		c = m.mend(broken)
	}
	return c, report, nil
}

// personal reports how many secrets and personal data the file has unredacted (AICF-PII-6).
func personal(counts Counts) []Finding {
	if counts.Total() == 0 {
		return nil
	}
	var types []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		types = append(types, fmt.Sprintf("%d %s", counts[name], name))
	}
	return []Finding{{Code: "personal", Rule: "AICF-PII-6", Severity: Warning,
		Message: "what could be redacted is kept: " + strings.Join(types, ", ")}}
}

// withoutControls removes the characters that no line can have from a file, and reports them
//
func withoutControls(data []byte) ([]byte, []Finding) {
	var found []Finding
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
		found = append(found, Finding{Code: codeUTF8, Rule: "AICF-VALC-1", Severity: Broken, Message: "bytes that are not UTF-8 became U+FFFD"})
	}
	illegible := func(r rune) bool { return control(r) && r != '\n' && r != '\r' }
	if bytes.ContainsFunc(data, illegible) {
		data = bytes.Map(func(r rune) rune {
			if illegible(r) {
				return -1
			}
			return r
		}, data)
		found = append(found, Finding{Code: codeControl, Rule: "AICF-SAFE-2", Severity: Warning, Message: "control characters are left out"})
	}
	return data, found
}

// nameOf names an entry in a report.
func nameOf(e Entry) string {
	switch e := e.(type) {
	case *Unknown:
		return strings.TrimSpace(e.Name + " " + e.ID)
	case *Carried:
		return strings.TrimSpace(carriedName + " " + e.ID)
	case *Gap:
		return "data outside of a section"
	}
	return sectionOf(e)
}

// migration is the state of Migrate.
type migration struct {
	from     *Contents
	report   *Report
	speech   *dialectReader           // builds conversations from turns
	talks    map[string]*Conversation // of conversations whose turns were entries
	declared bool
	stated   bool      // whether there is a state
	unnamed  int       // conversations without an id
	modified time.Time // dates conversations; zero: they stay without a date
	entries  []Entry
}

func newMigration(c *Contents, report *Report) *migration {
	return &migration{from: c, report: report, speech: newDialectReader(&parser{}), talks: map[string]*Conversation{}}
}

func (m *migration) run() *Contents {
	m.declare()
	for _, e := range m.from.Entries {
		for _, made := range m.entry(e) {
			m.note(e, made)
			m.entries = append(m.entries, made)
		}
	}
	m.complete()
	return &Contents{Version: V31, Declared: V31.String(), Dialect: Spec, Entries: m.entries}
}

// declare begins the result with its version and the original one (AICF-COMPAT-8).
func (m *migration) declare() {
	d := &Declaration{}
	for _, e := range m.from.Entries {
		if first, ok := e.(*Declaration); ok {
			*d = *first
			break
		}
	}
	if said := m.from.Declared; said != "" && said != m.from.Version.String() && said != V31.String() {
		d.Extra = extra(d.Extra, extensionKey("version"), said)
	}
	d.Version, d.Bare = V31.String(), false
	if m.from.Version < V31 {
		d.Extra = append(d.Extra, Field{migratedFrom, m.from.Version.String()})
	}
	m.entries = append(m.entries, d)
}

// note reports an entry made from another entry, or from none.
func (m *migration) note(from, made Entry) {
	change := Change{Line: made.Place().Line, From: nameOf(from), Into: nameOf(made)}
	if !m.from.Dialect.Sections() {
		change.From = m.from.Dialect.String()
	}
	if _, ok := made.(*Unknown); ok {
		m.report.Kept = append(m.report.Kept, change)
		return
	}
	if change.From != change.Into {
		m.report.Changes = append(m.report.Changes, change)
	}
}

// assume reports members that an entry was given, and returns the entry's note about them.
func (m *migration) assume(e Entry, keys []string) []Field {
	if len(keys) == 0 {
		return nil
	}
	m.report.Assumed = append(m.report.Assumed, Change{e.Place().Line, strings.Join(keys, ", "), nameOf(e)})
	return []Field{{extensionKey("assumed"), strings.Join(keys, ",")}}
}

// entry returns the migrated form of an entry.
func (m *migration) entry(e Entry) []Entry {
	switch e := e.(type) {
	case *Declaration:
		if !m.declared {
			m.declared = true
			return nil
		}
		return []Entry{m.keep(&e.Origin, declarationName, append([]Field{{"version", Escape(e.Version)}}, e.Extra...))}
	case *Session:
		return m.placedSession(e)
	case *Conversation:
		return m.conversation(e)
	case *Embedding, *Consolidation:
		return m.complying(e)
	case *State:
		m.stated = true
	case *Insight:
		return m.insight(e)
	case *Decision:
		return m.decision(e)
	case *Link:
		return m.link(e)
	case *Unknown:
		return m.unknown(e)
	}
	return []Entry{e}
}

// complete adds the state that a file with a conversation needs.
func (m *migration) complete() {
	if m.stated {
		return
	}
	for _, e := range m.entries {
		if _, ok := e.(*Conversation); ok {
			said := &State{Scope: ScopeSession, Pairs: []Pair{{Key: migratedFrom, Value: m.from.Version.String()}}}
			m.entries = append(m.entries, said)
			return
		}
	}
}

// keep makes an unknown section of an entry, with its members as spelled.
func (m *migration) keep(at *Origin, id string, fields []Field) Entry {
	kept := fields[:0:0]
	for _, f := range fields {
		if f.Key == "" {
			f = Field{"line", Escape(f.Raw)}
		}
		kept = append(kept, f)
	}
	u := unknown(sourceName, id, kept)
	u.Line = at.Line
	return u
}

// FillRequired adds the members that the format requires to the entries of a dialect
// without sections, as a migration does: they have no lines that could be written again.
func (c *Contents) FillRequired() {
	m := newMigration(c, &Report{})
	for i, e := range c.Entries {
		c.Entries[i] = m.fillEntry(e)
	}
}

func (m *migration) fillEntry(e Entry) Entry {
	switch e := e.(type) {
	case *Session:
		m.session(e)
	case *Conversation:
		m.fillConversation(e)
	case *Insight:
		if e.Text != "" {
			m.insight(e)
		}
	case *Decision:
		if e.Text != "" {
			m.decision(e)
		}
	case *Link:
		return m.link(e)[0]
	}
	return e
}
