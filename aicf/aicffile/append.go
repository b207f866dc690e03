package aicffile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

// tornSuffix is the suffix of the file that receives the rest of a line after an
// interrupted append.
const tornSuffix = ".torn"

// Result is the result of an append.
type Result struct {
	Created bool         // there was no file, or an empty one
	Bytes   int          // appended bytes
	Torn    int64        // bytes of an incomplete line, which were moved away first
	TornTo  string       // the file that holds them now; empty: there were none
	Losses  []codec.Loss // data that the format cannot hold
}

// Append writes entries at the end of a file, and creates the file if it does not
// exist. If it returns no error, the entries are on the disk. Concurrent appends of
// other programs wait for one another. Other programs see all of an append or
// nothing, and the earlier content stays as it is.
//
// Append first moves the rest of an interrupted append to a file beside. A packed
// file gets another member.
func Append(path string, o Options, entries ...aicf.Entry) (Result, error) {
	r, err := underLock(path, o, func(l *lock) (Result, error) { return appendTo(path, l, o, entries) })
	return r, o.logged("append", path, err)
}

// underLock runs change with the right to change a file.
func underLock[T any](path string, o Options, change func(*lock) (T, error)) (T, error) {
	l, err := acquire(path, o)
	if err != nil {
		var none T
		return none, err
	}
	r, err := change(l)
	return r, errors.Join(err, l.release())
}

func appendTo(path string, l *lock, o Options, entries []aicf.Entry) (Result, error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return begin(path, l, entries)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return Result{}, fmt.Errorf("append: %w", err)
	}
	r, err := l.extend(file, path, o, entries)
	return r, errors.Join(err, file.Close())
}

// begin creates a file of the entries alone.
func begin(path string, l *lock, entries []aicf.Entry) (Result, error) {
	data, losses, err := aicf.Continue(aicf.Tail{Empty: true}, entries...)
	if err != nil {
		return Result{}, err
	}
	n, err := l.place(path, data)
	if err != nil {
		return Result{}, err
	}
	return Result{Created: true, Bytes: n, Losses: losses}, nil
}

// extend appends to an open file that is not empty.
func (l *lock) extend(file *os.File, path string, o Options, entries []aicf.Entry) (r Result, err error) {
	e, err := l.endOf(file, o)
	if err != nil {
		return r, err
	}
	data, losses, err := aicf.Continue(e.tail, entries...)
	if err != nil {
		return r, err
	}
	if e.packed {
		if data, err = pack(data); err != nil {
			return r, err
		}
	}
	if r.Torn = e.size - e.whole; r.Torn > 0 {
		if r.TornTo, err = moveAway(file, path, e); err != nil {
			return r, err
		}
	}
	if err := l.note(e.whole); err != nil {
		return r, err
	}
	if _, err := file.WriteAt(data, e.whole); err != nil {
		return r, errors.Join(fmt.Errorf("append: %w", err), file.Truncate(e.whole))
	}
	if err := file.Sync(); err != nil {
		return r, errors.Join(fmt.Errorf("append: %w", err), file.Truncate(e.whole))
	}
	if !sameFile(file, path) {
		return r, fmt.Errorf("append: %w", ErrReplaced)
	}
	r.Bytes, r.Losses = len(data), losses
	return r, nil
}

// end describes the end of a file on disk.
type end struct {
	tail   aicf.Tail
	packed bool
	size   int64
	whole  int64 // bytes of it in complete lines, or complete members
}

// endOf finds the end of a file, whose complete lines must be valid. If an append
// that began at a known place was interrupted, that place is the end, unless a
// program that did not know of it has changed the file since.
func (l *lock) endOf(file *os.File, o Options) (e end, err error) {
	info, err := file.Stat()
	if err != nil {
		return e, fmt.Errorf("append: %w", err)
	}
	e.size, e.whole = info.Size(), info.Size()
	if l.interrupted >= 0 && info.ModTime().Before(l.since.Add(o.stale())) {
		e.whole = min(e.whole, l.interrupted)
	}
	if e.packed, err = isPacked(file); err != nil {
		return e, fmt.Errorf("append: %w", err)
	}
	if e.packed {
		return e, e.unpack(file, o)
	}
	if e.tail, err = aicf.TailOf(file, e.whole); err != nil {
		return e, err
	}
	e.whole -= e.tail.Cut
	return e, sound(io.NewSectionReader(file, 0, e.whole), o)
}

// unpack finds the end of a packed file. An incomplete line at the end of a member
// cannot be cut off without packing the member again, which an append does not do.
//
// A complete file is unpacked once. An incomplete one is never unpacked beyond the
// limit for files.
func (e *end) unpack(file *os.File, o Options) error {
	data, err := unpacked(file, e.whole, o)
	var fault *codec.ParseError
	if errors.As(err, &fault) && fault.Rule == "AICF-FILE-4" { // incomplete
		if e.whole, err = wholeMembers(file, e.whole); err == nil {
			data, err = unpacked(file, e.whole, o)
		}
	}
	if err != nil {
		return err
	}
	if err := sound(bytes.NewReader(data), o); err != nil {
		return err
	}
	e.tail, err = aicf.TailOf(bytes.NewReader(data), int64(len(data)))
	if err == nil && e.tail.Cut > 0 {
		err = fmt.Errorf("%w: its last line is not complete; rewrite it before appending", ErrInvalid)
	}
	return err
}

func unpacked(file io.ReaderAt, size int64, o Options) ([]byte, error) {
	in, err := aicf.Expand(io.NewSectionReader(file, 0, size), o.Options)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// sound refuses a file with broken lines, unless the options force it (AICF-SAFE-3).
func sound(in io.Reader, o Options) error {
	s := aicf.NewScanner(in, o.Options)
	for {
		if _, err := s.Next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	for _, f := range s.Findings() {
		if f.Severity == aicf.Broken && !o.Force {
			return fmt.Errorf("%w: %s; mend it, or insist with force", ErrInvalid, f)
		}
	}
	return nil
}

// moveAway appends the bytes after the last complete line to a file beside, and cuts
// them off. It returns the name of that file.
func moveAway(file *os.File, path string, e end) (string, error) {
	name := path + tornSuffix
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("keep the rest of an append: %s is no file of its own; move it away", name)
	}
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return "", fmt.Errorf("keep the rest of an append: %w", err)
	}
	_, err = io.Copy(to, io.NewSectionReader(file, e.whole, e.size-e.whole))
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return "", fmt.Errorf("keep the rest of an append: %w", err)
	}
	return name, file.Truncate(e.whole)
}
