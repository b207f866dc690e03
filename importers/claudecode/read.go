package claudecode

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
)

// file is the content of one file, with LF line ends and no byte order mark.
type file struct {
	path     string
	text     string
	raw      string // as it is
	modified time.Time
}

// folder reads the files of a source within its limits.
type folder struct {
	src    codec.Source
	limits codec.Limits
}

// read returns a file; path is empty if the source is one file. A file that is too long
// (CLAUDE-7) or not UTF-8 (CLAUDE-1) is a violation. Errors of the file system come back
// unchanged.
func (f *folder) read(path string) (file, error) {
	raw, modified, err := f.bytes(path, f.limits.Record+1)
	if err != nil {
		return file{}, fmt.Errorf("read %s: %w", f.name(path), err)
	}
	if int64(len(raw)) > f.limits.Record {
		return file{}, violation(ruleLimit, path, 0, fmt.Errorf("more than %d bytes; split the file, or raise the limit", f.limits.Record))
	}
	if refused := notText(path, raw); refused != nil {
		return file{}, refused
	}
	return newFile(path, string(raw), modified), nil
}

// notText returns the refusal of a file that is not UTF-8; nil: it is UTF-8.
func notText(path string, raw []byte) *codec.ParseError {
	_, err := markdown.Parse(raw)
	if fault, ok := errors.AsType[*markdown.Fault](err); ok {
		return violation(ruleUTF8, path, fault.Line, fault.Err)
	}
	return nil
}

func newFile(path, raw string, modified time.Time) file {
	text := strings.ReplaceAll(strings.TrimPrefix(raw, "\ufeff"), "\r\n", "\n")
	return file{path: path, text: text, raw: raw, modified: modified}
}

// bytes returns at most limit bytes of a file, and when it was last written.
func (f *folder) bytes(path string, limit int64) ([]byte, time.Time, error) {
	return markdown.Bytes(f.src, path, limit)
}

// head returns the beginning of a file, to decide what it is.
func (f *folder) head(path string) ([]byte, error) {
	return markdown.Head(f.src, path, markdown.MaxFront)
}

// name names a file for people.
func (f *folder) name(path string) string {
	if path == "" {
		return f.src.Name
	}
	return path
}

// noteRef names a note permanently, whichever folder above it the import began with: by its
// project's folder if that is in the source, "-home-ada-app/memory/tabs.md", else by its
// own name.
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
