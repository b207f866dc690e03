package aicffile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

// part is a file of the split layout, and its contents.
type part struct {
	name  string
	holds func(aicf.Entry) bool
}

// parts returns the files of the split layout, in the order of reading. The last
// takes the entries that no other file takes.
func parts() []part {
	return []part{
		{"sessions.aicf", is[*aicf.Session]},
		{"conversations.aicf", func(e aicf.Entry) bool { return is[*aicf.Conversation](e) || is[*aicf.State](e) }},
		{"technical-context.aicf", is[*aicf.Insight]},
		{"decisions.aicf", is[*aicf.Decision]},
		{"embeddings.aicf", is[*aicf.Embedding]},
		{"consolidations.aicf", is[*aicf.Consolidation]},
		{"index.aicf", func(aicf.Entry) bool { return true }},
	}
}

func is[T aicf.Entry](e aicf.Entry) bool {
	_, ok := e.(T)
	return ok
}

// WriteSplit writes contents as a folder with a file for each kind of section, and
// makes the folder if needed (AICF-REF-4). It leaves files of other kinds alone. The
// files do not show the conversation and session of an insight or a decision; the
// losses say so.
func WriteSplit(folder string, c *aicf.Contents, o Options) ([]codec.Loss, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("write: %w", err)
	}
	split, losses := divide(c)
	for i, p := range parts() {
		if len(split[i].Entries) == 0 {
			continue
		}
		l, err := Write(filepath.Join(folder, p.name), split[i], aicf.WriteOptions{}, o)
		if err != nil {
			return nil, err
		}
		losses = append(losses, l...)
	}
	return losses, nil
}

// divide sorts entries into the files of the split layout.
func divide(c *aicf.Contents) ([]*aicf.Contents, []codec.Loss) {
	var losses []codec.Loss
	index, split := c.Index(), make([]*aicf.Contents, len(parts()))
	for i := range split {
		split[i] = &aicf.Contents{Version: c.Version, Dialect: c.Dialect}
	}
	for _, e := range c.Entries {
		if is[*aicf.Gap](e) || is[*aicf.Declaration](e) {
			continue // each file has its own
		}
		for i, p := range parts() {
			if p.holds(e) {
				split[i].Entries = append(split[i].Entries, e)
				break
			}
		}
		if _, in := index.Conversation(e); in && (is[*aicf.Insight](e) || is[*aicf.Decision](e)) {
			losses = append(losses, codec.Loss{Pointer: index.Name(e), Reason: "the conversation that it belongs to: it stands in another file"})
		}
	}
	return split, losses
}

// ReadSplit reads a folder of the split layout as one file. It does not follow links
// out of the folder (AICF-SAFE-5).
func ReadSplit(folder string, o Options) (*aicf.Contents, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	defer root.Close()
	all := &aicf.Contents{Version: aicf.V31, Dialect: aicf.Spec}
	for _, p := range parts() {
		entries, err := readPart(root, p.name, o.Options)
		if err = o.logged("read", filepath.Join(folder, p.name), err); err != nil {
			return nil, err
		}
		all.Entries = append(all.Entries, entries...)
	}
	return all, nil
}

// readPart returns the entries of one file; none if the file does not exist.
func readPart(root *os.Root, name string, o aicf.Options) (entries []aicf.Entry, err error) {
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	data, err := unpackAll(f, o)
	if err != nil {
		return nil, err
	}
	parsed, err := aicf.Parse(data, o)
	if err != nil {
		return nil, err
	}
	c, _ := aicf.Read(parsed, o)
	return c.Entries, nil
}
