package claudecode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

// file is the content of one file, with LF line ends and no byte order mark.
type file struct {
	path     string
	text     string
	modified time.Time
}

// folder reads the files of a source within its limits.
type folder struct {
	src    codec.Source
	limits codec.Limits
}

// read returns a file; path is empty in a source that is one file. A file that
// is too long (CLAUDE-7) or not UTF-8 (CLAUDE-1) is a violation, what the file
// system says is returned as it is.
func (f *folder) read(path string) (file, error) {
	raw, modified, err := f.bytes(path, f.limits.Record+1)
	if err != nil {
		return file{}, fmt.Errorf("read %s: %w", f.name(path), err)
	}
	if int64(len(raw)) > f.limits.Record {
		return file{}, violation(ruleLimit, path, 0, fmt.Errorf("more than %d bytes; split the file, or raise the limit", f.limits.Record))
	}
	if !utf8.Valid(raw) {
		return file{}, violation(ruleUTF8, path, firstInvalid(raw), errors.New("bytes that are not UTF-8; save the file as UTF-8"))
	}
	text := strings.TrimPrefix(string(raw), "\ufeff")
	return file{path: path, text: strings.ReplaceAll(text, "\r\n", "\n"), modified: modified}, nil
}

// bytes returns at most limit bytes of a file, and when it was last written.
func (f *folder) bytes(path string, limit int64) ([]byte, time.Time, error) {
	if f.src.Tree == nil {
		raw, err := io.ReadAll(io.NewSectionReader(f.src.File, 0, min(f.src.Size, limit)))
		return raw, f.src.Modified, err
	}
	in, err := f.src.Tree.Open(path)
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
		modified = f.src.Modified
	}
	return raw, modified, err
}

// name names a file for people.
func (f *folder) name(path string) string {
	if path == "" {
		return f.src.Name
	}
	return path
}

// noteRef names a note so that it is known again when its text has changed, from
// whichever of the folders above it the import began: by its project's folder,
// where that is in sight, "-home-ada-app/memory/tabs.md", else by its own name.
func (f *folder) noteRef(name string) string {
	dir := path.Dir(name)
	switch {
	case name == "":
		return f.src.Name
	case dir == ".":
		return name
	case dir == "memory":
		return path.Join(f.src.Name, name)
	}
	return path.Join(path.Base(path.Dir(dir)), path.Base(dir), path.Base(name))
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
