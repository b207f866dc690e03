package operate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
)

// plannedEdit is what changes of one file would make of it.
type plannedEdit struct {
	path    string
	before  []byte
	after   string
	missing bool    // the file does not exist yet
	receipt receipt // of the file as it would be
}

func (e plannedEdit) changed() bool { return e.after != string(e.before) }

// plan says what changes of one file, or their reversal, would make of it. It changes
// nothing, and fails for a file that it cannot parse.
func plan(a *cli.App, changes []change, remove bool) (e plannedEdit, err error) {
	path := changes[0].file
	before, err := cli.ReadBounded(path, cli.MaxSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, fmt.Errorf("%w; to add the entry by hand, see --print", err)
	}
	missing := err != nil
	r, err := readReceipt(a, path)
	if err != nil {
		return e, err
	}
	if missing || len(r.Steps) == 0 { // removal without a receipt: a file with nothing else counts as satchel's
		r.Existed, r.Steps = !missing && !remove, nil
		if r.Made = topmostMissing(filepath.Dir(path)); r.Made == "" {
			r.Made = madeFolders(a)[filepath.Dir(path)]
		}
	}
	do := r.make
	if remove {
		do = r.undo
	}
	after, err := do(changes, string(before))
	if err != nil {
		return e, cli.Refusedf("%s was left as it is: %w. Mend the file, or add the entry by hand: see --print", path, err)
	}
	return plannedEdit{path, before, after, missing, r}, nil
}

// edit makes changes of one file, or reverts them. It keeps the former file beside it as
// .bak while satchel has a part in the file. The new text replaces the file at once. edit
// leaves a file alone that it cannot parse, or that another program changes meanwhile. It
// removes a file that satchel made with the last of satchel's parts. It changes nothing if
// agreed refuses the edit; nil agrees with everything.
func edit(a *cli.App, changes []change, remove bool, agreed func(plannedEdit) error) (bool, error) {
	e, err := plan(a, changes, remove)
	if err == nil && agreed != nil {
		err = agreed(e)
	}
	if err != nil {
		return false, err
	}
	r := e.receipt
	switch {
	case !e.changed():
	case remove:
		err = removeEntry(a, &r, e.before, e.after)
	default:
		err = put(a, &r, e.before, e.after, changes[0].mode, e.missing)
	}
	if err == nil {
		printChange(a, e.path, e.changed(), remove, r)
	}
	return e.changed(), err
}

// put writes a file with satchel's part. It writes the receipt first: without it nobody
// could remove the part exactly.
func put(a *cli.App, r *receipt, before []byte, after string, mode fs.FileMode, missing bool) error {
	if missing {
		if err := writeReceipt(a, *r); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(r.File), 0o755); err != nil {
			return err
		}
		return create(r.File, mode, []byte(after))
	}
	info, err := os.Stat(r.File)
	if err != nil {
		return err
	}
	if copied := r.File + ".bak"; !cli.Exists(copied) {
		if err := create(copied, info.Mode().Perm(), before); err != nil {
			return err
		}
		r.Copied = true
	}
	if err := writeReceipt(a, *r); err != nil {
		return err
	}
	return replace(r.File, info.Mode().Perm(), before, after)
}

// removeEntry writes a file without satchel's part, or removes the file if satchel made it
// and it holds nothing else.
func removeEntry(a *cli.App, r *receipt, before []byte, after string) error {
	info, err := os.Stat(r.File)
	if err != nil {
		return err
	}
	linked, err := os.Lstat(r.File)
	if err != nil {
		return err
	}
	if !r.Existed && isHollow(after) && linked.Mode().IsRegular() {
		if err := checkSame(r.File, before); err != nil {
			return err
		}
		if err := os.Remove(r.File); err != nil {
			return err
		}
		removeEmpty(filepath.Dir(r.File), r.Made)
	} else if err := replace(r.File, info.Mode().Perm(), before, after); err != nil {
		return err
	}
	if copied, err := cli.ReadBounded(r.File+".bak", cli.MaxSettings); r.Copied && err == nil && string(copied) == after {
		if err := os.Remove(r.File + ".bak"); err != nil {
			return err
		}
		r.Copied = false
	}
	return writeReceipt(a, *r)
}

// checkSame checks that a file still holds what was read from it.
func checkSame(path string, before []byte) error {
	if now, err := cli.ReadBounded(path, cli.MaxSettings); err != nil || !bytes.Equal(now, before) {
		return changedMeanwhile(path)
	}
	return nil
}

func changedMeanwhile(path string) error {
	return cli.Refusedf("%s was changed by another program meanwhile; try again", path)
}

// create writes a new file, unless another program made it meanwhile.
func create(path string, mode fs.FileMode, data []byte) error {
	err := atomicfile.Create(path, mode, data)
	if errors.Is(err, fs.ErrExist) {
		return changedMeanwhile(path)
	}
	return err
}

// replace rewrites a file, unless another program changed it since the read.
func replace(path string, mode fs.FileMode, before []byte, after string) error {
	return refill(path, mode, before, func(w io.Writer) error {
		_, err := io.WriteString(w, after)
		return err
	})
}

// refill is replace by the bytes that fill writes. It looks at the file before each write to
// the disk, and last before the new file takes its place.
func refill(path string, mode fs.FileMode, before []byte, fill func(io.Writer) error) error {
	unchanged := func(write func() error) error {
		if err := checkSame(path, before); err != nil {
			return err
		}
		return write()
	}
	return atomicfile.ReplaceBy(atomicfile.Target(path), mode, unchanged, fill)
}

// topmostMissing is the topmost folder that a folder needs and that does not exist; empty
// if the folder exists.
func topmostMissing(dir string) string {
	top := ""
	for ; !cli.Exists(dir); dir = filepath.Dir(dir) {
		top = dir
	}
	return top
}

// removeEmpty removes the folders made for a file, if they are empty.
func removeEmpty(dir, top string) {
	for top != "" && strings.HasPrefix(dir, top) && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}

// printChange prints the result for a file.
func printChange(a *cli.App, file string, changed, removed bool, r receipt) {
	former := ""
	if r.Copied {
		former = "; as it was before: " + file + ".bak"
	}
	switch {
	case !changed && removed:
		a.Say("nothing of satchel in %s", file)
	case !changed:
		a.Say("already in %s", file)
	case removed:
		a.Say("removed from %s%s", file, former)
	default:
		a.Say("written to %s%s", file, former)
	}
}

// isHollow reports whether a file of settings or instructions holds nothing.
func isHollow(text string) bool {
	rest := strings.Join(strings.Fields(strings.TrimPrefix(text, "\ufeff")), "")
	return rest == "" || rest == "{}"
}
