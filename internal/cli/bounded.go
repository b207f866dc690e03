package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Limits for small files that the program keeps, or that a flag names.
const (
	MaxSmall    = 64 << 10 // config.json, a token, a key, a passphrase
	MaxSettings = 64 << 20 // a host's settings or instructions
	maxAnswer   = 4 << 10  // a typed answer
)

// ReadBounded reads a file of at most most bytes. It refuses a pipe or device before it
// opens it: such a read may never end.
func ReadBounded(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, Refusedf("%s is no plain file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, Refusedf("%s is too large: at most %d KiB are read of it", path, most>>10)
	}
	return data, nil
}

// FirstLine reads the first line of a file, of at most most bytes, and nothing after it.
func FirstLine(path string, most int) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, most+len("\r\n"))
	in.Scan()
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong), len(in.Text()) > most:
		return "", Refusedf("the first line of %s is longer than %d bytes", path, most)
	case err != nil:
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return in.Text(), nil
}

// Unreadable says of which flag or variable a file is that cannot be read.
func Unreadable(of, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no file %s", of, Clean(path))
	}
	return fmt.Errorf("%s: %w", of, err)
}
