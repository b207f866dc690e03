package ump

import (
	"path"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// notesWriter writes a file for each record, named by [FileName].
type notesWriter struct {
	folder codec.Folder
	asJSON bool
	losses []codec.Loss
}

var _ codec.Writer = (*notesWriter)(nil)

func createNotes(folder codec.Folder, opt codec.Options) (codec.Writer, error) {
	return &notesWriter{folder: folder, asJSON: opt.FrontMatterJSON}, nil
}

// Write writes the file of a record.
func (w *notesWriter) Write(r memory.Record) error {
	name, err := FileName(r.ID)
	if err != nil {
		return err
	}
	v, losses, err := encode(&r)
	if err != nil {
		return err
	}
	w.losses = append(w.losses, losses...)
	return w.folder.Put(name, appendMarkdown(nil, v, w.asJSON))
}

// Close does nothing: every file is complete.
func (w *notesWriter) Close() error { return nil }

// Losses returns the losses of all records.
func (w *notesWriter) Losses() []codec.Loss { return w.losses }

// wroteNote reports whether a file has the name of the record in it. An edited file
// counts as well.
func wroteNote(name string, data []byte) bool {
	if !strings.HasSuffix(name, markdownExtension) {
		return false
	}
	front, _, err := splitFile(string(data))
	if err != nil {
		return false
	}
	v, err := parseFront(front, canon.Options{Depth: codec.Limits{}.Filled().Depth})
	if err != nil || !v.Has("ump") {
		return false
	}
	want, err := FileName(memory.ID(v.Get("id").Text()))
	return err == nil && want == path.Base(name)
}
