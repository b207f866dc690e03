package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

// Error describes the fault.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// File is the content of a file without its byte order mark. If all line ends were CR LF,
// they are LF here; otherwise they are unchanged.
type File struct {
	Text     string
	Mark     bool // it had a byte order mark
	CRLF     bool // its lines ended in CR LF
	Modified time.Time
}

// Bytes returns the content of a file with this text and these spellings.
func (f File) Bytes() []byte {
	text := f.Text
	if f.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if f.Mark {
		text = mark + text
	}
	return []byte(text)
}

const mark = "\ufeff"

// Read returns a file of a source; name is empty if the source is one file. A file that is
// too long or not UTF-8 gives a [Fault]. Errors of the file system come back unchanged.
func Read(src codec.Source, name string, limits codec.Limits) (File, error) {
	raw, modified, err := Bytes(src, name, limits.Record+1)
	if err != nil {
		return File{}, err
	}
	if int64(len(raw)) > limits.Record {
		return File{}, &Fault{Limit: true, Err: fmt.Errorf("more than %d bytes; split the file, or raise the limit", limits.Record)}
	}
	f, err := Parse(raw)
	f.Modified = modified
	return f, err
}

// Parse reads the bytes of a file.
func Parse(raw []byte) (File, error) {
	if !utf8.Valid(raw) {
		return File{}, &Fault{Line: firstInvalid(raw), Err: errors.New("bytes that are not UTF-8; save the file as UTF-8")}
	}
	var f File
	f.Text, f.Mark = strings.CutPrefix(string(raw), mark)
	if lines := strings.Count(f.Text, "\n"); lines > 0 && lines == strings.Count(f.Text, "\r\n") {
		f.Text, f.CRLF = strings.ReplaceAll(f.Text, "\r\n", "\n"), true
	}
	return f, nil
}

// Bytes returns at most limit bytes of a file, and when it was last written, as
// [codec.Dated] has it.
func Bytes(src codec.Source, name string, limit int64) ([]byte, time.Time, error) {
	if src.Tree == nil {
		raw, err := io.ReadAll(io.NewSectionReader(src.File, 0, min(src.Size, limit)))
		return raw, codec.Dated(src.Modified), err
	}
	in, err := src.Tree.Open(name)
	return contents(src, in, err, limit)
}

// Head returns at most limit bytes of a file, to decide whether to read it.
func Head(src codec.Source, name string, limit int64) ([]byte, error) {
	if src.Tree == nil {
		raw, _, err := Bytes(src, name, limit)
		return raw, err
	}
	in, err := codec.Peek(src.Tree, name)
	raw, _, err := contents(src, in, err, limit)
	return raw, err
}

// contents reads a file of a folder, unless opening it failed, and closes it.
func contents(src codec.Source, in fs.File, err error, limit int64) ([]byte, time.Time, error) {
	if err != nil {
		return nil, time.Time{}, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, time.Time{}, errors.New("not a regular file")
	}
	raw, err := io.ReadAll(io.LimitReader(in, limit))
	modified := info.ModTime()
	if modified.IsZero() {
		modified = src.Modified
	}
	return raw, codec.Dated(modified), err
}

func firstInvalid(raw []byte) int {
	line := 1
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size <= 1 {
			return line
		}
		line += bytes.Count(raw[:size], []byte("\n"))
		raw = raw[size:]
	}
	return line
}
