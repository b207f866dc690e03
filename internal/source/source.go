package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/satchel-memory/satchel/codec"
)

// Stdin is the name for standard input.
const Stdin = "-"

// The refusals that callers distinguish. A path that does not exist or may not be read
// gives the system's own error, for errors.Is with fs.ErrNotExist and fs.ErrPermission.
var (
	errSpecial  = errors.New("not a regular file or folder, but a device, pipe or socket; pass its content on standard input, as -")
	ErrTooLarge = errors.New("larger than the limit; split it, or raise the limit")
	errTooMany  = errors.New("more files in one folder than the limit; name a smaller folder, or raise the limit")
	errLink     = errors.New("a folder reached through a link is not entered; name that folder itself")
)

// Options say where input comes from, and bound it. The zero value has no standard input
// and the default limits.
type Options struct {
	Stdin  io.Reader    // the input for "-"; nil: "-" is refused
	Name   string       // of the input for "-", such as that of an uploaded file; empty: "standard input"
	Temp   string       // folder for spooled input; empty: the system's
	Limits codec.Limits // Document bounds each file and the spool, Files each folder's listing; both bound an archive as a whole
	// Known reports whether a format reads a source as it is. Such a compressed file stays
	// packed, and such an archive of a single file stays a folder. nil: no format does.
	Known func(codec.Source) bool
}

// Input is an open source. Close it when every reader over it is done.
type Input struct {
	codec.Source
	held []func() error // functions that Close calls, the last first
}

// hold makes Close call release.
func (in *Input) hold(release func() error) { in.held = append(in.held, release) }

// Enter replaces the input by one part of its folder. Close calls release before it closes
// the folder.
func (in *Input) Enter(part codec.Source, release func()) {
	in.Source = part
	in.hold(func() error { release(); return nil })
}

// Close frees the input's resources and removes temporary files. A second Close does
// nothing.
func (in *Input) Close() error {
	var errs []error
	for _, release := range slices.Backward(in.held) {
		errs = append(errs, release())
	}
	in.held = nil
	return errors.Join(errs...)
}

// Open opens the file or folder called name, or standard input for "-". It follows a link
// in name itself, since the person chose it. A fault of an archive is a [*codec.ParseError]
// with the rule that the archive breaks.
func Open(name string, opt Options) (*Input, error) {
	opt.Limits = opt.Limits.Filled()
	if name == Stdin {
		return openStdin(opt)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open the source: %w", err)
	case info.IsDir():
		return openFolder(name, opt)
	case info.Mode().IsRegular():
		return openFile(name, info, opt)
	}
	return nil, fmt.Errorf("open %s: %w", name, errSpecial)
}

func openFile(name string, seen fs.FileInfo, opt Options) (*Input, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, fmt.Errorf("open the source: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !(info.Mode().IsRegular() && os.SameFile(info, seen)) {
		err = errSpecial // somebody exchanged it meanwhile
	}
	if err == nil && info.Size() > opt.Limits.Document {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", name, err), f.Close())
	}
	src := codec.Source{Name: filepath.Base(name), File: f, Size: info.Size(), Modified: info.ModTime()}
	return unpack(&Input{Source: src, held: []func() error{f.Close}}, opt)
}

func openFolder(name string, opt Options) (*Input, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("open the source: %w", err)
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", name, err), root.Close())
	}
	src := codec.Source{Name: baseName(name), Tree: &tree{root: root, limits: opt.Limits}, Modified: info.ModTime()}
	return &Input{Source: src, held: []func() error{root.Close}}, nil
}

// baseName names a folder also when the person wrote "." or "..".
func baseName(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	return filepath.Base(name)
}

// nonblock makes Open return at once if a file has turned into a pipe without a writer.
// Systems without pipes ignore it.
const nonblock = syscall.O_NONBLOCK
