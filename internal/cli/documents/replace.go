package documents

import (
	"errors"
	"io/fs"
	"os"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
)

// mayReplace refuses to replace a file of another format, or one that is signed. A
// replaced file is lost, and a signature cannot be made again without the key.
// Formats that change a part of a file, and folders, have rules of their own.
func (t target) mayReplace(a *cli.App, force bool) error {
	if force || t.folder || cli.IsStdout(t.path) || !isFile(t.path) {
		return nil
	}
	if beside := signatureOf(t.path); cli.Exists(beside) && !t.signs {
		return cli.Refusedf("%s lies beside it, the signature of what %s held, and would not belong to what is written; --force writes the file and removes that", cli.Clean(beside), cli.Clean(t.path))
	}
	if t.Amends {
		return nil
	}
	info, err := os.Stat(t.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // there is no file, or the write reports the problem
	}
	if what, other := t.otherwise(a); other {
		return cli.Refusedf("%s is there and holds %s; --force replaces it", cli.Clean(t.path), what)
	}
	return nil
}

// otherwise returns the content of the file in words, if it is not of the format.
func (t target) otherwise(a *cli.App) (what string, other bool) {
	in, err := a.Source(t.path)
	if err != nil {
		return "something that cannot be read", true
	}
	defer in.Close()
	src := in.Source
	src.Name = "" // the name says what the file should become, not what it is
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

// unsign removes the signature beside a file that is about to be replaced by an
// unsigned one, and says so.
func (t target) unsign(a *cli.App) error {
	if cli.IsStdout(t.path) || !isFile(t.path) {
		return nil
	}
	for _, name := range []string{t.path, atomicfile.Target(t.path)} {
		beside := signatureOf(name)
		switch err := os.Remove(beside); {
		case err == nil:
			a.Warn("removed %s: it was the signature of what was there before", cli.Clean(beside))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}
