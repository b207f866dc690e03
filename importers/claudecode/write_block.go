package claudecode

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// mostBlock bounds the memories of a block, in bytes: an assistant reads all of it before
// each session.
const mostBlock = 32 << 10

// blockWriter writes a block into a file of rules.
type blockWriter struct {
	out    io.Writer
	now    time.Time
	owner  memory.DID
	before string
	marks  marks
	known  map[string]memory.Record // the file's content outside the block
	kept   map[memory.Kind][]entry
	size   map[memory.Kind]int
	losses []codec.Loss
}

// entry is a line of the block.
type entry struct {
	record memory.Record
	line   string
}

var _ codec.Writer = (*blockWriter)(nil)

func create(out io.Writer, opt codec.Options) (codec.Writer, error) {
	w := &blockWriter{
		out: out, owner: opt.Owner, before: string(opt.Before), known: map[string]memory.Record{},
		kept: map[memory.Kind][]entry{}, size: map[memory.Kind]int{},
	}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	if refused := notText("", opt.Before); refused != nil {
		return nil, refused
	}
	var err error
	var at int
	if w.marks, at, err = findMarks(w.before); err != nil {
		return nil, violation(ruleMarks, "", at, err)
	}
	return w, w.learn()
}

// learn reads the file's content outside the block, so that the block does not repeat it.
func (w *blockWriter) learn() error {
	outside, _ := cutMarks(w.before, w.marks)
	src := codec.Source{Name: "CLAUDE.md", File: strings.NewReader(outside), Size: int64(len(outside)), Modified: time.Unix(0, 0)}
	r, err := newReader(src, codec.Options{Owner: "owner"})
	for err == nil {
		var again memory.Record
		if again, err = r.Next(); err == nil {
			w.known[key(again)] = again
		}
	}
	if _, refused := isViolation(err); refused || err == io.EOF {
		return nil // unreadable parts stay unchanged all the same
	}
	return err
}

func key(r memory.Record) string { return string(r.Kind) + "\n" + r.Body.Text }

// Write adds a record.
func (w *blockWriter) Write(r memory.Record) error {
	if reason := skipReason(r, w.now); reason != "" {
		w.lose(r, reason)
		return nil
	}
	w.owner = cmp.Or(w.owner, r.Scope.Owner)
	if again, ok := w.known[key(r)]; ok {
		again.Scope.Owner = w.owner
		w.losses = append(w.losses, recordLosses(r, again)...)
		return nil
	}
	if len(r.Body.Text) > mostBlock {
		w.lose(r, lossRoom)
		return nil
	}
	r.Origin, r.Current = nil, nil
	e := entry{r, string(appendEntry(nil, r.Body.Text, r.Time.Created))}
	list := w.kept[r.Kind]
	at, _ := slices.BinarySearchFunc(list, e, older)
	w.kept[r.Kind] = slices.Insert(list, at, e)
	w.size[r.Kind] += len(e.line)
	w.shrink(r.Kind, mostBlock)
	return nil
}

func older(a, b entry) int {
	return cmp.Or(a.record.Time.Created.Compare(b.record.Time.Created), cmp.Compare(a.record.ID, b.record.ID), cmp.Compare(a.line, b.line))
}

// shrink drops the oldest records of a kind until the rest fits.
func (w *blockWriter) shrink(kind memory.Kind, room int) {
	for w.size[kind] > room {
		oldest := w.kept[kind][0]
		w.kept[kind] = w.kept[kind][1:]
		w.size[kind] -= len(oldest.line)
		w.lose(oldest.record, lossRoom)
	}
}

func (w *blockWriter) lose(r memory.Record, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: reason})
}

// Close writes the file.
func (w *blockWriter) Close() error {
	block := w.block()
	if strings.Contains(w.before, "\r\n") {
		block = strings.ReplaceAll(block, "\n", "\r\n")
	}
	_, err := io.WriteString(w.out, w.placed(block))
	return err
}

// block returns the text between the marks, and the marks.
func (w *blockWriter) block() string {
	var b strings.Builder
	b.WriteString(beginMark + "\n" + blockTitle + "\n\n" + blockSentence + "\n")
	room := mostBlock
	for _, s := range sections() {
		w.shrink(s.kind, room)
		room -= w.size[s.kind]
		if len(w.kept[s.kind]) > 0 {
			b.WriteString("\n" + s.head + "\n\n")
		}
		for _, e := range w.kept[s.kind] {
			b.WriteString(e.line)
			w.account(e, s.kind)
		}
	}
	b.WriteString(endMark)
	return b.String()
}

// account reports the data of a record that does not come back.
func (w *blockWriter) account(e entry, kind memory.Kind) {
	text, at, _ := readEntry(strings.TrimSpace(e.line))
	in := reader{folder: folder{limits: codec.Limits{}.Filled()}, owner: w.owner, now: time.Unix(0, 0)}
	again, err := in.block(block{line: 1, text: text, memory: &blockMemory{kind: kind, at: at}}, &frame{doc: document{role: aRules}})
	if err != nil {
		w.lose(e.record, lossUnread)
		return
	}
	w.losses = append(w.losses, recordLosses(e.record, again)...)
}

// placed replaces the old block, or adds the new one at the end of the file.
func (w *blockWriter) placed(block string) string {
	end := "\n"
	if strings.Contains(block, "\r\n") {
		end = "\r\n"
	}
	if w.marks.begin == 0 {
		switch {
		case w.before == "":
			return block + end
		case strings.HasSuffix(w.before, "\n"):
			return w.before + end + block + end
		}
		return w.before + end + end + block + end
	}
	var out strings.Builder
	n := 0
	for line := range strings.Lines(w.before) {
		switch n++; {
		case n == w.marks.begin:
			out.WriteString(block)
		case n == w.marks.end:
			out.WriteString(line[len(strings.TrimRight(line, "\r\n")):])
		case n < w.marks.begin || n > w.marks.end:
			out.WriteString(line)
		}
	}
	return out.String()
}

// Losses returns the data that the block does not hold.
func (w *blockWriter) Losses() []codec.Loss { return w.losses }
