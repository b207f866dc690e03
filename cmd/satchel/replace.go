package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// mayReplace refuses to write where a file is that holds something else than the format,
// or that somebody has signed: what is replaced cannot be had back, and neither can a
// signature be made again without the key. Formats that change a part of a file, and
// folders, have rules of their own.
func (t target) mayReplace(a *app, force bool) error {
	if force || t.folder || stdout(t.path) || !isFile(t.path) {
		return nil
	}
	if beside := signatureOf(t.path); exists(beside) && !t.signs {
		return refusedf("%s lies beside it, the signature of what %s held, and would not belong to what is written; --force writes the file and removes that", clean(beside), clean(t.path))
	}
	if t.Amends {
		return nil
	}
	info, err := os.Stat(t.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // there is nothing, or writing says why it cannot
	}
	if what, other := t.otherwise(a); other {
		return refusedf("%s is there and holds %s; --force replaces it", clean(t.path), what)
	}
	return nil
}

// otherwise says what the file holds, if that is not of the format.
func (t target) otherwise(a *app) (what string, other bool) {
	in, err := a.source(t.path)
	if err != nil {
		return "something that cannot be read", true
	}
	defer in.Close()
	src := in.Source
	src.Name = "" // which says what the file is to be, and not what it is
	if src.File != nil && t.Detect(src) >= codec.Likely {
		return "", false
	}
	switch f, err := formats.Detect(src); {
	case err != nil:
		return "something that is in no format known here", true
	case f.Name != t.Name:
		return f.Title, true
	}
	return "", false
}

// unsign removes the signature beside a file that is about to be replaced by what nobody
// has signed, and says so.
func (t target) unsign(a *app) error {
	if stdout(t.path) || !isFile(t.path) {
		return nil
	}
	for _, name := range []string{t.path, atomicfile.Target(t.path)} {
		beside := signatureOf(name)
		switch err := os.Remove(beside); {
		case err == nil:
			a.warn("removed %s: it was the signature of what was there before", clean(beside))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}
