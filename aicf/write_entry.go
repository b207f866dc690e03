package aicf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// writer writes entries one by one. It closes a section only when it knows the next entry,
// so that a received separator can serve a rendered section.
type writer struct {
	page     *lineWriter
	dialect  Dialect // of the received entries
	version  Version
	limits   Limits
	asked    bool   // the caller requires this version
	declared bool   // the first declaration was written
	open     bool   // the last rendered section has no separator yet
	loose    bool   // the last section, written as read, has none
	list     string // name of the open list; empty: none
	after    int    // the line after the last entry, in its file; 0: it was rendered
	losses   []codec.Loss
}

// declare writes the section of the version, with the other members of the first
// declaration (AICF-WRITE-4).
func (w *writer) declare(entries []Entry) error {
	d := &Declaration{}
	if i := slices.IndexFunc(entries, declares); i >= 0 {
		d = entries[i].(*Declaration)
	}
	s := &sectionBuilder{}
	s.declaration(d, w.version.String())
	w.section("", s.lines)
	return s.err
}

func declares(e Entry) bool {
	_, ok := e.(*Declaration)
	return ok
}

// entry renders an entry: one section, the sections of a state, or nothing.
func (w *writer) entry(e Entry) (written bool, err error) {
	sheets := w.builders(e)
	for _, s := range sheets {
		s.fits(w.limits)
		if s.prove(e); s.err != nil && !s.fallBack(e) {
			return false, s.err
		}
		if s.stripped {
			w.lose(e, "control characters, which no line can have")
		}
		w.section(listOf(e), s.lines)
	}
	return len(sheets) > 0, nil
}

// fits refuses lines and values that readers refuse. It cuts nothing short.
func (s *sectionBuilder) fits(limits Limits) {
	const number = 20 // bytes of a number and its pipe
	limits = limits.withDefaults()
	for _, line := range s.lines {
		switch {
		case len(line) > limits.Line-number:
			s.refuse("", "AICF-SIZE-2", "a line exceeds the maximum size")
		case len(line) > limits.Field && valueSize([]byte(line)) > limits.Field:
			s.refuse("", "AICF-SIZE-3", "a value exceeds the maximum size")
		}
	}
}

// prove refuses a new entry that the format does not allow (AICF-WRITE-1), by the rules of
// its section and by what a reader finds in its lines. Entries that were read keep their
// oddities.
func (s *sectionBuilder) prove(e Entry) {
	if s.err != nil || *e.Place() != (Origin{}) {
		return
	}
	rules := checker{log: findingList{most: 10}, entry: e}
	rules.entryRules(e)
	for _, f := range rules.log.findings {
		if f.Severity != Notice && f.Rule != "AICF-STATE-7" { // writing removes it
			s.refuse("", f.Rule, f.Message)
		}
	}
	r := parser{log: findingList{most: 10}}
	lines := make([]line, len(s.lines))
	for i, text := range s.lines {
		lines[i].text = text
	}
	r.section(lines)
	for _, f := range r.log.findings {
		if f.Severity == Broken {
			s.refuse("", f.Rule, f.Message)
		}
	}
}

// fallBack uses the lines of an entry as read, if the format has no other way to say the
// same.
func (s *sectionBuilder) fallBack(e Entry) bool {
	switch e.(type) {
	case *Unknown, *Gap:
		return false
	}
	s.lines = strings.Split(strings.TrimRight(e.Place().Raw, "\n"), "\n")
	if list := listOf(e); list != "" && headOf([]byte(s.lines[0])).shape == noHead {
		s.lines[0] = "@" + list + " " + s.lines[0]
	}
	return unchanged(Spec, e) && oneSection(s.lines) && !slices.ContainsFunc(s.lines, hasControl)
}

// oneSection reports whether a reader reads the lines as one section (AICF-SAFE-4).
func oneSection(lines []string) bool {
	if !slices.ContainsFunc(lines[1:], func(line string) bool { return headOf([]byte(line)).shape != noHead }) {
		return true
	}
	f, err := Parse([]byte(strings.Join(lines, "\n")), Options{})
	return err == nil && len(f.marks) == 1
}

// builders renders an entry without writing it.
func (w *writer) builders(e Entry) []*sectionBuilder {
	switch e := e.(type) {
	case *State:
		return w.states(e)
	case *Declaration:
		if w.declared {
			w.lose(e, "a further declaration of the version")
		}
		w.declared = true
		return nil
	}
	s := &sectionBuilder{}
	s.entry(e)
	if len(s.lines) == 0 && s.err == nil {
		return nil
	}
	return []*sectionBuilder{s}
}

// entry renders an entry with one section of its own.
func (s *sectionBuilder) entry(e Entry) {
	switch e := e.(type) {
	case *Session:
		s.session(e)
	case *Conversation:
		s.conversation(e)
	case *Insight:
		s.insight(e)
	case *Decision:
		s.decision(e)
	case *Link:
		s.link(e)
	case *Embedding:
		s.embedding(e)
	case *Consolidation:
		s.consolidation(e)
	case *Carried:
		s.carried(e)
	case *Unknown:
		s.unknown(e)
	case *Gap:
		s.gap(e)
	}
}

// Lines returns an entry as a section of [Spec], without numbers. A state is one section
// with all its pairs. The error says what the format cannot hold.
func Lines(e Entry) ([]string, error) {
	s := sectionOfEntry(e)
	return s.lines, s.err
}

// CheckEntry returns why the format does not allow a new entry; nil: it does.
func CheckEntry(e Entry) error {
	s := sectionOfEntry(e)
	s.prove(e)
	return s.err
}

func sectionOfEntry(e Entry) *sectionBuilder {
	s := &sectionBuilder{}
	if state, ok := e.(*State); ok {
		s.state(state, state.Scope, state.Pairs)
	} else {
		s.entry(e)
	}
	return s
}

// section writes the lines of a section, or of an entry of a list below its header.
func (w *writer) section(list string, lines []string) {
	if list == "" || w.list != list {
		w.close()
		if list != "" {
			w.page.line("@" + list)
		}
	}
	w.page.block(lines)
	w.open, w.list, w.after = true, list, 0
}

// close closes the open section.
func (w *writer) close() {
	if w.open || w.loose {
		w.page.line("")
	}
	w.open, w.loose, w.list = false, false, ""
}

// end closes the last section, unless it was read without a separator.
func (w *writer) end() {
	w.loose = false
	w.close()
}

// lose records a loss of an entry.
func (w *writer) lose(e Entry, why string) { w.losses = append(w.losses, LossOf(e, why)) }

// LossOf returns the loss of an entry, or of something about it.
func LossOf(e Entry, why string) codec.Loss {
	loss := codec.Loss{Reason: why}
	if line := e.Place().Line; line > 0 {
		loss.Pointer = fmt.Sprintf("line:%d", line)
	}
	return loss
}

// preambleName is the section for the lines before a file's first section.
const preambleName = "PREAMBLE"

// gap puts the lines of a gap, without separators and headers, into a section of their own:
// after another section's separator a reader would add them to that section.
func (s *sectionBuilder) gap(e *Gap) {
	s.name = "data outside of a section"
	for _, line := range e.says() {
		line = s.spelled("", line)
		if beginsSection(line) {
			s.refuse("", "AICF-SAFE-4", "a section is an entry of its own")
		}
		if line != "" {
			s.lines = append(s.lines, line)
		}
	}
	if len(s.lines) > 0 {
		s.lines = append([]string{"@" + preambleName}, s.lines...)
	}
}

// says returns the lines of a gap without separators and bare headers.
func (e *Gap) says() []string {
	var lines []string
	for line := range strings.SplitSeq(e.Raw, "\n") {
		if line != "" && (listAt(line) == "" || beginsSection(line)) {
			lines = append(lines, line)
		}
	}
	return lines
}
