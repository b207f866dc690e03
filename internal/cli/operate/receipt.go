package operate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
)

// receipt records what connect wrote into one file, so that it can remove exactly that. It
// lies in the folder satchel-hosts beside a store's usual folder, under the hash of the
// file's path, as long as satchel has a part in the file.
type receipt struct {
	File    string `json:"file"`
	Existed bool   `json:"existed"`          // the file existed before
	Made    string `json:"made,omitempty"`   // the topmost folder made for the file
	Copied  bool   `json:"copied,omitempty"` // satchel made the .bak beside it
	Steps   []step `json:"steps"`            // in the order they were made
}

// step is one change of a text: at an offset, Old became New.
type step struct {
	Name string `json:"name"`
	At   int    `json:"at"`
	Old  []byte `json:"old"` // bytes, not a string: a region may begin or end inside a character
	New  []byte `json:"new"`
}

// stepBetween is the single region in which two texts differ.
func stepBetween(name, before, after string) step {
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return step{name, start, []byte(before[start : len(before)-end]), []byte(after[start : len(after)-end])}
}

// back returns the text without the step: at its offset, or at the only place of its text.
func (s step) back(text string) (string, bool) {
	at, part := s.At, string(s.New)
	if part == "" {
		return "", false
	}
	if at > len(text) || !strings.HasPrefix(text[at:], part) {
		if strings.Count(text, part) != 1 {
			return "", false
		}
		at = strings.Index(text, part)
	}
	return text[:at] + string(s.Old) + text[at+len(part):], true
}

// step finds the step of a kind of change.
func (r *receipt) step(name string) int {
	return slices.IndexFunc(r.Steps, func(s step) bool { return s.Name == name })
}

// before returns the text without a change of this receipt. It is not ok if somebody has
// edited satchel's text.
func (r *receipt) before(c change, text string) (string, bool) {
	i := r.step(c.name)
	if i < 0 {
		return "", false
	}
	out, ok := r.Steps[i].back(text)
	if !ok {
		return "", false
	}
	rest, err := c.remove(out)
	return out, err == nil && rest == out && c.check(text, out) == nil
}

// make applies changes to a text, one after the other. It first reverts earlier changes, so
// that the newest receipt covers all. If somebody has edited satchel's text, it changes
// that in place.
func (r *receipt) make(changes []change, text string) (string, error) {
	next, base := *r, text
	if bare, ok := r.original(changes, text); ok {
		next.Steps, base = nil, bare
	}
	next.Steps = slices.Clone(next.Steps)
	after, err := next.setAll(changes, base)
	if err != nil || after == text {
		return text, err
	}
	*r = next
	return after, nil
}

// setAll applies changes and notes them.
func (r *receipt) setAll(changes []change, text string) (string, error) {
	for _, c := range changes {
		after, err := c.set(text)
		if err != nil {
			return "", err
		}
		if after != text {
			r.note(c, text, after)
		}
		text = after
	}
	return text, nil
}

// note notes a change. If a part of it existed before, the receipt does not know its text.
func (r *receipt) note(c change, text, after string) {
	known := r.step(c.name) >= 0
	r.drop(c)
	if rest, err := c.remove(text); err == nil && rest == text {
		r.Steps = append(r.Steps, stepBetween(c.name, text, after))
	} else if known {
		r.Steps = append(r.Steps, step{Name: c.name}) // removable, but not by its text
	}
}

func (r *receipt) drop(c change) {
	r.Steps = slices.DeleteFunc(r.Steps, func(s step) bool { return s.Name == c.name })
}

// original returns the text without any change of this receipt, if each is among the
// changes and can be reverted exactly.
func (r *receipt) original(changes []change, text string) (string, bool) {
	for i := len(r.Steps) - 1; i >= 0; i-- {
		at := slices.IndexFunc(changes, func(c change) bool { return c.name == r.Steps[i].Name })
		if at < 0 {
			return "", false
		}
		var ok bool
		if text, ok = r.before(changes[at], text); !ok {
			return "", false
		}
	}
	return text, true
}

// undo reverts changes in reverse order: exactly, or, if somebody has edited satchel's
// text, what is left of it.
func (r *receipt) undo(changes []change, text string) (string, error) {
	for _, c := range slices.Backward(changes) {
		out, ok := r.before(c, text)
		if !ok {
			var err error
			if out, err = c.remove(text); err != nil {
				return "", err
			}
		}
		r.drop(c)
		text = out
	}
	return text, nil
}

// receipts is the folder of the receipts.
func receipts(a *cli.App) (string, error) { return a.PlainFolder("satchel-hosts") }

func receiptPath(a *cli.App, file string) (string, error) {
	dir, err := receipts(a)
	sum := sha256.Sum256([]byte(file))
	return filepath.Join(dir, hex.EncodeToString(sum[:8])+".json"), err
}

// readReceipt reads a file's receipt, or returns an empty one if there is none.
func readReceipt(a *cli.App, file string) (receipt, error) {
	path, err := receiptPath(a, file)
	if err != nil {
		return receipt{}, err
	}
	var r receipt
	if err := cli.ReadJSON(path, &r); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, cli.ErrDamaged) {
		return receipt{}, err
	}
	if r.File != file {
		r = receipt{}
	}
	r.File = file
	return r, nil
}

// writeReceipt keeps a receipt, or removes it if satchel has no part in the file any more.
func writeReceipt(a *cli.App, r receipt) error {
	path, err := receiptPath(a, r.File)
	if err != nil {
		return err
	}
	if len(r.Steps) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = os.Remove(filepath.Dir(path)) // fails while there are others
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return cli.WriteJSON(path, r)
}

// madeFolders are the folders that connect made for files of hosts, each with the topmost
// one made with it.
func madeFolders(a *cli.App) map[string]string {
	made := map[string]string{}
	dir, err := receipts(a)
	if err != nil {
		return made
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return made
	}
	for _, path := range paths {
		var r receipt
		if cli.ReadJSON(path, &r) != nil || r.Made == "" {
			continue
		}
		for at := filepath.Dir(r.File); strings.HasPrefix(at, r.Made); at = filepath.Dir(at) {
			made[at] = r.Made
		}
	}
	return made
}
