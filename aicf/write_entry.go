package aicf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// writer writes entries one by one. Sections are closed when the next thing is known, so
// that a separator that was read serves a section that was rendered.
type writer struct {
	page     *page
	dialect  Dialect // in which entries were read
	version  Version
	limits   Limits
	asked    bool   // the caller wants this version and no other
	declared bool   // the first declaration was seen
	open     bool   // what was rendered last has no separator yet
	loose    bool   // what was written last, as it was read, has none
	list     string // name of the list that is open; empty: none
	after    int    // the place behind what was written last, in the file that it was read from; 0: it was rendered
	losses   []codec.Loss
}

// declare writes the section of the version, with what the first declaration says
// besides (AICF-WRITE-4).
func (w *writer) declare(entries []Entry) error {
	d := &Declaration{}
	if i := slices.IndexFunc(entries, declares); i >= 0 {
		d = entries[i].(*Declaration)
	}
	s := &sheet{}
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
	sheets := w.sheets(e)
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

// fits refuses lines and values that readers refuse; nothing is cut short.
func (s *sheet) fits(limits Limits) {
	const number = 20 // bytes, and its pipe
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

// prove refuses an entry made anew that the format does not allow (AICF-WRITE-1): by the
// rules of its section, and by what a reader finds in its lines. Entries that were read
// keep their oddities.
func (s *sheet) prove(e Entry) {
	if s.err != nil || *e.Place() != (Origin{}) {
		return
	}
	rules := checking{log: log{most: 10}, entry: e}
	rules.one(e)
	for _, f := range rules.log.told {
		if f.Severity != Notice && f.Rule != "AICF-STATE-7" { // which does not outlast writing
			s.refuse("", f.Rule, f.Message)
		}
	}
	r := reading{log: log{most: 10}}
	lines := make([]line, len(s.lines))
	for i, text := range s.lines {
		lines[i].text = text
	}
	r.section(lines)
	for _, f := range r.log.told {
		if f.Severity == Broken {
			s.refuse("", f.Rule, f.Message)
		}
	}
}

// fallBack takes the lines of an entry as it was read, where the format has no other way
// to say what it says.
func (s *sheet) fallBack(e Entry) bool {
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

// oneSection reports whether a reader takes lines for one section (AICF-SAFE-4).
func oneSection(lines []string) bool {
	if !slices.ContainsFunc(lines[1:], func(line string) bool { return headOf([]byte(line)).shape != noHead }) {
		return true
	}
	f, err := Parse([]byte(strings.Join(lines, "\n")), Options{})
	return err == nil && len(f.marks) == 1
}

// sheets renders an entry without writing it.
func (w *writer) sheets(e Entry) []*sheet {
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
	s := &sheet{}
	s.entry(e)
	if len(s.lines) == 0 && s.err == nil {
		return nil
	}
	return []*sheet{s}
}

// entry fills the sheet with an entry that has one section of its own.
func (s *sheet) entry(e Entry) {
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

// close ends the section that is open.
func (w *writer) close() {
	if w.open || w.loose {
		w.page.line("")
	}
	w.open, w.loose, w.list = false, false, ""
}

// end closes the last section, but not one that was read without a separator.
func (w *writer) end() {
	w.loose = false
	w.close()
}

// lose notes what of an entry is not written.
func (w *writer) lose(e Entry, why string) { w.losses = append(w.losses, lost(e, why)) }

// lost is the loss of an entry or of something about it.
func lost(e Entry, why string) codec.Loss {
	loss := codec.Loss{Reason: why}
	if line := e.Place().Line; line > 0 {
		loss.Pointer = fmt.Sprintf("line:%d", line)
	}
	return loss
}

// preambleName is the section that keeps what a file says before its first section.
const preambleName = "PREAMBLE"

// gap keeps of a gap what is neither a separator nor a header, in a section of its own:
// behind another one's separator it would be read as part of that.
func (s *sheet) gap(e *Gap) {
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

// says returns the lines of a gap that are neither separators nor bare headers.
func (e *Gap) says() []string {
	var lines []string
	for line := range strings.SplitSeq(e.Raw, "\n") {
		if line != "" && (listAt(line) == "" || beginsSection(line)) {
			lines = append(lines, line)
		}
	}
	return lines
}
