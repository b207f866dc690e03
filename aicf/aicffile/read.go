package aicffile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

// How often a half-written file is read again.
const (
	rereads = 100
	respite = 2 * time.Millisecond
)

// Read reads a file as it was at one moment, packed or not, and locks nothing
// (AICF-WRITE-7). It reads a file again during an append until the file is complete.
func Read(path string, o Options) (*aicf.File, error) {
	var f *aicf.File
	data, err := loadWhole(path, o)
	if err == nil {
		f, err = aicf.Parse(data, o.Options)
	}
	return f, o.logged("read", path, err)
}

// Load is [Read] for callers that need the bytes, unpacked.
func Load(path string, o Options) ([]byte, error) {
	data, err := loadWhole(path, o)
	return data, o.logged("read", path, err)
}

// Dialect returns the dialect of a file, from its beginning. It does not count as an
// access.
func Dialect(path string, o Options) (d aicf.Dialect, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("read: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in, err := aicf.Expand(f, o.Options)
	if err != nil {
		return 0, err
	}
	const enough = 64 << 10
	head, err := io.ReadAll(io.LimitReader(in, enough))
	return aicf.Detect(head), err
}

func loadWhole(path string, o Options) ([]byte, error) {
	for i := 0; ; i++ {
		data, err := load(path, o.Options)
		if writing := i < rereads && locked(path); !writing || err == nil && whole(data) {
			return data, err
		}
		time.Sleep(respite)
	}
}

// load returns the content of a file, unpacked.
func load(path string, o aicf.Options) (data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return unpackAll(f, o)
}

// unpackAll returns the content of an open file, and closes it.
func unpackAll(f *os.File, o aicf.Options) (data []byte, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	in, err := aicf.Expand(f, o)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// locked reports whether a program is changing the file.
func locked(path string) bool {
	_, err := os.Stat(path + suffix)
	return !errors.Is(err, fs.ErrNotExist)
}

// whole reports whether data ends with a separator, as our writers end it. Other
// programs may end a file in any way, but not while they hold our lock.
func whole(data []byte) bool {
	line := bytes.TrimSuffix(data, []byte("\n"))
	if len(line) == len(data) {
		return len(data) == 0
	}
	line = bytes.TrimSuffix(line[bytes.LastIndexByte(line, '\n')+1:], []byte("\r"))
	return bytes.HasSuffix(line, []byte("|")) || len(line) == 0
}
