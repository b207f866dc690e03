package aicf

import (
	"bytes"
	"iter"
	"slices"
	"sync"
)

var byteOrderMark = []byte("\xEF\xBB\xBF")

// File is a context file as lines and sections without meaning. Several goroutines may use
// it.
type File struct {
	data     []byte // without a byte order mark
	limits   Limits
	marks    []mark // the beginning of each section
	lines    int
	layout   Layout
	findings []Finding // without those about characters and escapes
	more     int       // findings beyond the limit
	start    int       // offset of data in the file
	unread   bool      // some lines were not checked for characters

	index func() (latest map[lookup]int32, earlier []int32)
}

// lookup is the key of the index of sections.
type lookup struct{ name, id string }

// Parse finds the lines and sections of a file. It fails only when the file exceeds a
// limit; [File.Findings] returns other faults. The File keeps data, which must not change.
func Parse(data []byte, o Options) (*File, error) {
	if limit := o.Limits.withDefaults().File; int64(len(data)) > limit {
		return nil, TooLarge(0, "AICF-SIZE-1", "the file", limit)
	}
	text := bytes.TrimPrefix(data, byteOrderMark)
	l := newLexer(text, o)
	l.marked = len(data) - len(text)
	l.marks = make([]mark, 0, min(len(text)/128+8, 1<<20))
	l.run(text, 0)
	l.finish(len(data))
	if l.err != nil {
		return nil, l.err
	}
	f := &File{
		data: text, limits: l.limits, marks: l.marks, lines: l.line, layout: l.layout(),
		findings: l.log.findings, more: l.log.more, start: l.marked, unread: l.unread,
	}
	f.index = sync.OnceValues(f.makeIndex)
	return f, nil
}

// finish adds the findings that need the whole file.
func (l *lexer) finish(size int) {
	if len(l.marks) == 0 && l.line > 0 {
		l.marks = append(l.marks, mark{line: 1})
	}
	l.shape = noHead // what follows concerns no section
	if l.marked > 0 {
		l.find(0, Warning, codeBOM, "AICF-ENC-4", "the file begins with a byte order mark")
	}
	if size > largeFile {
		l.find(0, Warning, codeFileSize, "AICF-SIZE-1", "a file of %d bytes; recommended are at most %d", size, largeFile)
	}
	if l.layoutCRLF() {
		l.find(0, Warning, codeCRLF, "AICF-ENC-3", "lines end in CR LF; expected LF")
	} else if line := l.endings.mixed(l.ended()); line > 0 {
		l.find(line, Warning, codeLineEnding, "AICF-VALC-3", "the line ends otherwise than those before it; expected one kind of line ending")
	}
}

// ended returns how many lines have a line feed.
func (l *lexer) ended() int {
	if l.open {
		return l.line - 1
	}
	return l.line
}

func (l *lexer) layoutCRLF() bool { return l.endings.count > 0 && l.endings.count == l.ended() }

func (l *lexer) layout() Layout {
	return Layout{Numbering: l.numbering, CRLF: l.layoutCRLF(), BOM: l.marked > 0, OpenEnd: l.open}
}

// Layout returns the layout of the file.
func (f *File) Layout() Layout { return f.layout }

// Lines returns the number of lines.
func (f *File) Lines() int { return f.lines }

// Sections yields the sections in order. Together they have all lines of the file.
func (f *File) Sections() iter.Seq[Section] {
	return func(yield func(Section) bool) {
		for i := range f.marks {
			if !yield(f.section(i)) {
				return
			}
		}
	}
}

func (f *File) section(i int) Section {
	end := len(f.data)
	if i+1 < len(f.marks) {
		end = f.marks[i+1].at
	}
	return Section{data: f.data[f.marks[i].at:end], line: f.marks[i].line, numbering: f.layout.Numbering}
}

// Find returns the latest section with the name and the identifier, at once in files
// of any size (AICF-OV-2). The first call builds the index.
func (f *File) Find(section, id string) (Section, bool) {
	latest, _ := f.index()
	i, ok := latest[lookup{section, id}]
	if !ok {
		return Section{}, false
	}
	return f.section(int(i)), true
}

// All returns all sections with the name and the identifier, in the order of the file.
func (f *File) All(section, id string) []Section {
	latest, earlier := f.index()
	i, ok := latest[lookup{section, id}]
	if !ok {
		return nil
	}
	var all []Section
	for ; i >= 0; i = earlier[i] {
		all = append(all, f.section(int(i)))
	}
	slices.Reverse(all)
	return all
}

// makeIndex returns the latest section of each name and identifier, and for each section
// the previous one with the same; -1: none.
func (f *File) makeIndex() (map[lookup]int32, []int32) {
	latest, earlier := make(map[lookup]int32, len(f.marks)), make([]int32, len(f.marks))
	for i := range f.marks {
		s := f.section(i)
		key := lookup{s.Name(), s.ID()}
		earlier[i] = -1
		if before, ok := latest[key]; ok {
			earlier[i] = before
		}
		latest[key] = int32(i)
	}
	return latest, earlier
}
