package aicf

import (
	"fmt"
	"strings"
)

// Read gives the sections of a file their meaning, and reports faults and oddities of
// spelling. [Check] checks what entries mean together.
func Read(f *File, o Options) (*Contents, []Finding) {
	r := parser{log: findingList{most: o.Limits.withDefaults().Findings}}
	c := &Contents{Dialect: Detect(f.data), Layout: f.Layout()}
	if c.Dialect.Sections() {
		c.Odd = f.oddLines()
	} else {
		c.Layout.Source = string(f.data)
	}
	c.Entries = readers[c.Dialect].file(&r, f)
	if !c.Dialect.Sections() && !Fatal(r.log.findings, false) {
		r.find(0, Warning, codeForm, "AICF-COMPAT-6", "a file of another form: %s; it can be migrated to %s", c.Dialect, V31)
	}
	c.settleVersion()
	return c, r.log.inOrder()
}

// reader is the functions that read files of a dialect.
type reader struct {
	file  func(r *parser, f *File) []Entry
	entry func(r *parser, lines []line, like Entry) []Entry // for an entry of a known kind; nil: entries have no lines
}

// ofSections reads the dialects that have sections of this format's form.
var ofSections = reader{file: (*parser).sections, entry: (*parser).again}

var readers = map[Dialect]reader{
	Spec: ofSections, Core311: ofSections, Unnumbered: ofSections, FirstLine: ofSections, Transcripts: ofSections,
	Compiled: {file: (*parser).compiledFile},
	Alpha:    {file: (*parser).alphaFile},
	Watcher:  {file: (*parser).watcherFile},
	Tables:   {file: (*parser).tableFile},
	Guide:    {file: (*parser).guideFile},
	Rows:     {file: (*parser).rowFile},
	JSON:     {file: (*parser).jsonFile},
}

// parser holds the result of reading a file, and the present section.
type parser struct {
	log   findingList
	label string
}

// line is the data of one line, and its place in the file.
type line struct {
	place int
	text  string
}

func (r *parser) find(place int, severity Severity, code, rule, format string, args ...any) {
	if !r.log.full() {
		r.log.add(Finding{Line: place, Section: r.label, Code: code, Rule: rule, Severity: severity, Message: fmt.Sprintf(format, args...)})
	}
}

func (r *parser) sections(f *File) []Entry {
	var entries []Entry
	for s := range f.Sections() {
		entries = append(entries, r.section(linesOf(s))...)
	}
	return entries
}

// ReadSection reads the entries of one section.
func ReadSection(s Section) ([]Entry, []Finding) {
	r := parser{log: findingList{most: Limits{}.withDefaults().Findings}}
	return r.section(linesOf(s)), r.log.inOrder()
}

// linesOf returns the lines of a section. They share one string.
func linesOf(s Section) []line {
	raw := s.Raw()
	lines := make([]line, 0, strings.Count(raw, "\n")+1)
	for place, data := range s.Lines() {
		lines = append(lines, line{place, raw[:len(data)]})
		raw = raw[min(len(data)+1, len(raw)):]
	}
	return lines
}

// section reads lines that begin with a header or an entry. Other lines precede the first
// section.
func (r *parser) section(lines []line) []Entry {
	lines, blank := cutBlank(lines)
	if len(lines) == 0 {
		return gap(nil, blank)
	}
	h := headerOf(lines[0].text)
	r.label = label([]byte(lines[0].text))
	var entries []Entry
	switch {
	case h.shape == noHead:
		return gap(nil, append(lines, blank...))
	case h.shape > inlineHead || rowRules[h.name] == "":
		entries = append(entries, r.block(h, lines))
	case !h.colon && !numberedBelow(h, lines[1:]):
		return r.rows(h.name, append(lines, blank...))
	default:
		return r.headedRows(h, lines, blank)
	}
	return gap(entries, blank)
}

// cutBlank removes blank lines at the end.
func cutBlank(lines []line) (said, blank []line) {
	end := len(lines)
	for end > 0 && lines[end-1].text == "" {
		end--
	}
	return lines[:end:end], lines[end:]
}

// gap appends lines without meaning.
func gap(entries []Entry, lines []line) []Entry {
	if len(lines) == 0 {
		return entries
	}
	return append(entries, &Gap{origin(lines)})
}

func origin(lines []line) Origin { return Origin{Line: lines[0].place, Raw: joined(lines)} }

func joined(lines []line) string {
	if len(lines) == 1 {
		return lines[0].text
	}
	size := len(lines) - 1
	for _, l := range lines {
		size += len(l.text)
	}
	var b strings.Builder
	b.Grow(size)
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// block reads a section of fields.
func (r *parser) block(h header, lines []line) Entry {
	b := block{Origin: origin(lines), id: h.identifier(), lines: lines[1:]}
	read, known := blocks[h.name]
	switch {
	case known && h.shape == plainHead:
		return read(r, b)
	case h.name == declarationName && h.shape == trailedHead:
		b.id = h.rest
		return r.declaration(b)
	case h.shape == plainHead:
		r.find(b.Line, Notice, codeUnknownSection, "AICF-FWD-3", "unknown section %s is kept as it is", quoted(h.name))
	}
	return &Unknown{Origin: b.Origin, Name: h.name, ID: b.id}
}

// block is a section of fields: its decoded identifier, and the lines after its header.
type block struct {
	Origin
	id    string
	lines []line
}

const declarationName = "AICF_VERSION"

var blocks = map[string]func(*parser, block) Entry{
	declarationName: (*parser).declaration,
	"SESSION":       (*parser).session,
	"CONVERSATION":  (*parser).conversation,
	"STATE":         (*parser).state,
	"EMBEDDING":     (*parser).embedding,
	"CONSOLIDATION": (*parser).consolidation,
	"UMP_RECORD":    (*parser).carried,
	"INSIGHT":       (*parser).insightBlock,
	"DECISION":      (*parser).decisionBlock,
}
