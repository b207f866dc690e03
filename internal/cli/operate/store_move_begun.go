package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
)

// moveBegun is the content of move.json in the home folder of a store: the target of a
// move, without a password. The file exists from before the first row leaves until the move
// is finished or given up.
type moveBegun struct {
	To string `json:"to"`
}

func moveFile(h cli.Home) string { return filepath.Join(h.Dir, "move.json") }

// readMove reads the move in progress; ok is false if there is none.
func readMove(h cli.Home) (m moveBegun, ok bool, err error) {
	data, err := cli.ReadBounded(moveFile(h), cli.MaxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil || m.To == "" {
		return m, false, fmt.Errorf("%s is damaged: satchel owner list says who went where", moveFile(h))
	}
	return m, true, nil
}

// beginMove notes the start of a move. undo removes the note, unless an earlier attempt
// made it.
func beginMove(h cli.Home, to cli.Home) (undo func() error, err error) {
	undo = func() error { return endMove(h) }
	if cli.Exists(moveFile(h)) {
		undo = func() error { return nil }
	}
	data, err := json.Marshal(moveBegun{To: to.Name()})
	if err == nil {
		err = atomicfile.Write(moveFile(h), 0o600, append(data, '\n'))
	}
	return undo, err
}

// endMove removes the note.
func endMove(h cli.Home) error {
	if err := os.Remove(moveFile(h)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unfinishedMove looks for an interrupted move, and reports whether there is one.
func (d *doctor) unfinishedMove() bool {
	m, ok, err := readMove(d.home)
	switch {
	case err != nil:
		d.bad("move", cli.Describe(err), "satchel owner list", nil)
	case ok:
		d.bad("move", "the move of this store to "+m.To+" is not finished",
			fmt.Sprintf("satchel store move %s %s finishes it; with --abandon it is given up", d.home.Name(), m.To), nil)
	}
	return ok
}
