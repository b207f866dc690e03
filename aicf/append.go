package aicf

import (
	"bytes"
	"io"

	"github.com/satchel-memory/satchel/codec"
)

// Tail is the end of a file: what a writer needs to know to continue it.
type Tail struct {
	Number    int64 // of the last numbered line
	Numbering Numbering
	CRLF      bool
	Empty     bool // it has no complete line, so the version comes first
	Open      bool // its last section has no separator
	Unended   bool // its last line is a separator without line feed, which comes first
	// Cut is how many bytes at the end of the file form no complete line, such as the rest
	// of an interrupted append (AICF-LINE-11). The writer removes them first.
	Cut int64
}

// Sizes of the parts of a file's end that TailOf reads.
const (
	smallWindow = 64 << 10
	largeWindow = 128 << 20
)

// TailOf reads the end of a file of the given size, and its beginning for the numbering. It
// reads little, however large the file is.
func TailOf(file io.ReaderAt, size int64) (Tail, error) {
	beginning, err := readAt(file, 0, min(size, smallWindow))
	if err != nil {
		return Tail{}, err
	}
	if end := bytes.LastIndexByte(beginning, '\n') + 1; int64(len(beginning)) == size {
		beginning = beginning[:end] // a torn line says nothing
	}
	numbering := numberingOf(bytes.TrimPrefix(beginning, byteOrderMark))
	for window := int64(smallWindow); ; window *= 8 {
		start := max(0, size-window)
		end, err := readAt(file, start, size-start)
		if err != nil {
			return Tail{}, err
		}
		if t, ok := tailIn(end, start == 0, numbering); ok {
			return t, nil
		}
		if window > largeWindow {
			return Tail{}, refusal("", "", "AICF-SIZE-2", "the end of the file has no line with a number")
		}
	}
}

func readAt(file io.ReaderAt, at, n int64) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(file, at, n), b); err != nil {
		return nil, err
	}
	return b, nil
}

// tailIn finds the tail in the last bytes of a file; false: it needs more bytes.
func tailIn(end []byte, whole bool, numbering Numbering) (Tail, bool) {
	complete := bytes.LastIndexByte(end, '\n') + 1
	t := Tail{Numbering: numbering, Cut: int64(len(end) - complete), Empty: complete == 0}
	if t.Empty {
		return t, whole
	}
	for last := true; complete > 0; last = false {
		start := bytes.LastIndexByte(end[:complete-1], '\n') + 1
		if start == 0 && !whole {
			return t, false
		}
		line, crlf := bytes.CutSuffix(end[start:complete-1], []byte("\r"))
		width := numbering.numberWidth(line)
		if last {
			t.CRLF, t.Open = crlf, len(line) > width
		}
		if n, _ := leadingNumber(line); width > 0 && n >= 0 {
			t.Number = int64(n)
			t.separated(end[len(end)-int(t.Cut):])
			return t, true
		}
		if numbering == NotNumbered {
			return t, true
		}
		complete = start
	}
	return t, true
}

// separated takes an unended last line for a separator if it has the next number and no
// data: nothing of it can be missing.
func (t *Tail) separated(last []byte) {
	if n, width := leadingNumber(last); t.Numbering == Numbered && width > 0 && width == len(last) && int64(n) == t.Number+1 {
		t.Number, t.Open, t.Unended, t.Cut = t.Number+1, false, true, 0
	}
}

// Continue returns the bytes to append to a file that ends in t: complete sections with the
// entries, numbered from the last line (AICF-LINE-7). The losses are those of [Encode].
func Continue(t Tail, entries ...Entry) ([]byte, []codec.Loss, error) {
	var b bytes.Buffer
	w := &writer{dialect: Spec, version: V31}
	w.page = newLineWriter(&b, Layout{Numbering: t.Numbering, CRLF: t.CRLF})
	w.page.number, w.loose = t.Number, t.Open
	if t.Unended {
		w.page.ending = w.page.eol()
	}
	if t.Empty {
		if err := w.declare(entries); err != nil {
			return nil, nil, err
		}
	}
	for _, e := range entries {
		if _, err := w.entry(e); err != nil {
			return nil, nil, err
		}
	}
	w.end()
	if w.page.number < t.Number {
		return nil, nil, refusal("", "", "AICF-LINE-2", "there is no line number left")
	}
	err := w.page.end()
	return b.Bytes(), w.losses, err
}
