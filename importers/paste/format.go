package paste

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

const formatName = "paste"

// Format returns the format of a pasted list of memories.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "Pasted list of memories ([date] - memory)",
		Extensions: []string{".txt", ".md"},
		Detect:     detect,
		Open:       open,
		Validate:   validate,
	}
}

// detectHead is how much of a text is judged.
const detectHead = 64 << 10

// detect claims a text with at most two lines of chatter to a dated entry. Prose
// that happens to hold an entry is not claimed.
func detect(src codec.Source) codec.Confidence {
	if src.File == nil {
		return codec.No
	}
	head := make([]byte, min(src.Size, detectHead))
	n, err := src.File.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return codec.No
	}
	head = head[:n]
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 && int64(n) < src.Size {
		head = head[:end]
	}
	if !utf8.Valid(head) {
		return codec.No
	}
	b := blocks{opt: codec.Options{Limits: codec.Limits{}.Filled()}}
	number := 0
	for line := range bytes.Lines(head) {
		number++
		b.line(number, string(bytes.TrimRight(line, "\r\n")))
	}
	if b.openers > 0 && b.openers*2 >= b.babble {
		return codec.Likely
	}
	return codec.No
}
