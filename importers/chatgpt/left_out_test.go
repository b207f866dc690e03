package chatgpt_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/chatgpt"
)

// farthest is a file that knows how far it was read.
type farthest struct {
	io.ReaderAt
	at int64
}

// ReadAt implements [io.ReaderAt].
func (f *farthest) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.ReaderAt.ReadAt(p, off)
	f.at = max(f.at, off+int64(n))
	return n, err
}

// TestLeftOutAtOnce requires that the reader reports an unreadable element when it meets
// the element, with its place, and not at the end of the export.
func TestLeftOutAtOnce(t *testing.T) {
	text := "[{}" + strings.Repeat(",{}", 500_000) + "]"
	in := &farthest{ReaderAt: strings.NewReader(text)}
	first, at, told := "", int64(0), 0
	opt := codec.Options{Owner: "me", Now: time.Now, LeftOut: func(l codec.Loss) {
		if told++; told == 1 {
			first, at = l.Pointer, in.at
		}
	}}
	r, err := chatgpt.Format().Open(codec.Source{Name: "conversations.json", File: in, Size: int64(len(text))}, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Next(); err == nil || err == io.EOF {
		t.Fatalf("nothing of it can be read, and Next says %v", err)
	}
	if first != "/0/mapping" || at > 128<<10 || told != 500_001 {
		t.Errorf("first told of %q after %d of %d bytes; %d times", first, at, len(text), told)
	}
	if n := len(r.Losses()); n > 11_000 {
		t.Errorf("%d losses are kept", n)
	}
}
