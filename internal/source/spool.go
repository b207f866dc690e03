package source

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/satchel-memory/satchel/codec"
)

// openStdin copies standard input to a temporary file of mode 0600. Where the
// system allows it the file loses its name before a byte is written, so that not
// even a crash leaves a copy; elsewhere Close removes it.
func openStdin(opt Options) (*Input, error) {
	if opt.Stdin == nil {
		return nil, errors.New("open standard input: there is none")
	}
	f, err := os.CreateTemp(opt.Temp, "satchel-input-*")
	if err != nil {
		return nil, fmt.Errorf("spool standard input: %w", err)
	}
	release := f.Close
	if os.Remove(f.Name()) != nil {
		release = func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
	}
	size, err := spool(f, opt.Stdin, opt.Limits.Document)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("spool standard input: %w", err), release())
	}
	// Modified stays zero: when the bytes arrived says nothing about their age.
	return &Input{Source: codec.Source{Name: "standard input", File: f, Size: size}, close: release}, nil
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
