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

// Patience with a writer that has a file half written: how often it is read again.
const (
	rereads = 100
	respite = 2 * time.Millisecond
)

// Read reads a file as it was at one moment, packed or not, and locks nothing
// (AICF-WRITE-7). One that is being appended to is read again until it is whole.
func Read(path string, o Options) (*aicf.File, error) {
	var f *aicf.File
	data, err := loadWhole(path, o)
	if err == nil {
		f, err = aicf.Parse(data, o.Options)
	}
	return f, o.logged("read", path, err)
}

// Load is [Read] for those who want the bytes, unpacked.
func Load(path string, o Options) ([]byte, error) {
	data, err := loadWhole(path, o)
	return data, o.logged("read", path, err)
}

// Dialect tells in which dialect a file is, from its beginning. It does not count as an
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

// load returns what a file holds, unpacked.
func load(path string, o aicf.Options) (data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return unpackAll(f, o)
}

// unpackAll returns what an open file holds, and closes it.
func unpackAll(f *os.File, o aicf.Options) (data []byte, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	in, err := aicf.Expand(f, o)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// locked reports whether somebody is changing the file.
func locked(path string) bool {
	_, err := os.Stat(path + suffix)
	return !errors.Is(err, fs.ErrNotExist)
}

// whole reports whether data ends as writers end it: with a separator. Others may end a
// file as they like, but not while they hold our lock.
func whole(data []byte) bool {
	line := bytes.TrimSuffix(data, []byte("\n"))
	if len(line) == len(data) {
		return len(data) == 0
	}
	line = bytes.TrimSuffix(line[bytes.LastIndexByte(line, '\n')+1:], []byte("\r"))
	return bytes.HasSuffix(line, []byte("|")) || len(line) == 0
}
