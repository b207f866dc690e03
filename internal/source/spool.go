package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/satchel-memory/satchel/codec"
)

// openStdin copies standard input to a temporary file.
func openStdin(opt Options) (*Input, error) {
	if opt.Stdin == nil {
		return nil, errors.New("open standard input: there is none")
	}
	// Modified stays zero: the time of arrival says nothing about the age of the bytes.
	in := &Input{Source: codec.Source{Name: cmp.Or(opt.Name, "standard input")}}
	f, err := temporary(in, opt)
	if err == nil {
		in.Size, err = spool(f, opt.Stdin, opt.Limits.Document)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("spool standard input: %w", err), in.Close())
	}
	in.File = f
	return unpack(in, opt)
}

// temporary makes a file of mode 0600 that in removes. If the system allows it, the file
// loses its name before a byte is written, so that even a crash leaves no copy; otherwise
// Close removes it.
func temporary(in *Input, opt Options) (*os.File, error) {
	f, err := os.CreateTemp(opt.Temp, "satchel-input-*")
	if err != nil {
		return nil, err
	}
	release := f.Close
	if os.Remove(f.Name()) != nil {
		release = func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
	}
	in.hold(release)
	return f, nil
}

// spool copies in to f and refuses more than limit bytes.
func spool(f io.Writer, in io.Reader, limit int64) (int64, error) {
	size, err := io.Copy(f, io.LimitReader(in, limit))
	if err != nil || size < limit {
		return size, err
	}
	if n, err := io.ReadFull(in, make([]byte, 1)); n > 0 {
		return size, ErrTooLarge
	} else if err != io.EOF {
		return size, err
	}
	return size, nil
}
