package claudecode

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// notes writes a memory folder: a note for each record, and lines of the index.
type notes struct {
	in     codec.Folder
	now    time.Time
	owner  memory.DID      // whose memories these are
	names  map[string]bool // taken in this run, in small letters
	lines  []indexed       // of the notes written
	losses []codec.Loss
}

// indexed is a line of the index.
type indexed struct {
	name, text string
	foreign    bool // the note is as somebody else wrote it
}

var _ codec.Writer = (*notes)(nil)

func createIn(in codec.Folder, opt codec.Options) (codec.Writer, error) {
	w := &notes{in: in, owner: opt.Owner, names: map[string]bool{}}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	return w, nil
}

// Write writes the note of a record. One that is there and says it already does.
func (w *notes) Write(r memory.Record) error {
	if reason := unwritten(r, w.now); reason != "" {
		w.lose(r, reason)
		return nil
	}
	w.owner = cmp.Or(w.owner, r.Scope.Owner)
	name, data, err := w.place(r)
	if err != nil || name == "" {
		return err
	}
	again, ok := reread(w.owner, name, data)
	if !ok {
		w.lose(r, lossUnread)
		return nil
	}
	w.losses = append(w.losses, unkept(r, again)...)
	if taken := strings.ToLower(name); !w.names[taken] {
		w.names[taken] = true
		w.lines = append(w.lines, indexed{name: name, text: indexText(name, data), foreign: !wrote(name, []byte(data))})
	}
	if err := w.in.Put(name, []byte(data)); err != nil { // also one that is there: it belongs to what is written
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// unwritten says why nothing is written of a record.
func unwritten(r memory.Record, now time.Time) string {
	switch {
	case !codec.Holds(r, now):
		return codec.NotHeld
	case strings.TrimSpace(r.Body.Text) == "":
		return lossBlank
	}
	return ""
}

// place finds the name and makes the file. Without a name there is no place: what is there
// under it is another's, or was changed since it was written.
func (w *notes) place(r memory.Record) (name, data string, err error) {
	data, whole := original(r)
	for _, name := range []string{ownName(r), entityName(r), madeName(r)} {
		if name == "" {
			continue
		}
		if !whole || name != ownName(r) {
			if data, err = composed(r, stem(name)); err != nil {
				return "", "", err
			}
		}
		held, err := w.held(name)
		if err != nil {
			return "", "", err
		}
		taken := w.names[strings.ToLower(name)]
		if held == data && taken {
			w.lose(r, lossSame)
			return "", "", nil
		}
		if held == data || !taken && (held == "" || wrote(name, []byte(held))) {
			return name, data, nil
		}
		if !taken && name == ownName(r) {
			break
		}
	}
	w.lose(r, lossTaken)
	return "", "", nil
}

// held returns what a file holds; empty: there is none.
func (w *notes) held(name string) (string, error) {
	data, err := w.in.Held(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

func (w *notes) lose(r memory.Record, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: reason})
}

// unkept returns the losses of a record of which again is read.
func unkept(r, again memory.Record) []codec.Loss {
	return codec.UnkeptAs(r, again, map[string]string{
		"/body/text": lossText, "/time/created": lossDate, "/kind": lossKind, "/scope/project": lossScope,
	})
}

// Close writes the index.
func (w *notes) Close() error { return w.index() }

// Losses returns what notes do not say.
func (w *notes) Losses() []codec.Loss { return w.losses }
