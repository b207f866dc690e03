package ump

import (
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// treeReader yields the records of every UMP file in a folder, in the order of the
// file names. It holds one record at a time.
type treeReader struct {
	markdownReader         // its notes are the remaining files of every kind
	lines          *reader // the present JSON file, nil between files
	file           io.Closer
	name           string
}

var _ codec.Reader = (*treeReader)(nil)

var treeExtensions = [...]string{jsonExtension, linesExtension, markdownExtension}

func openTree(tree fs.FS, opt codec.Options) (*treeReader, error) {
	r := &treeReader{markdownReader: markdownReader{opt: opt, lim: opt.Limits.Filled()}}
	var total int64
	err := walkFiles(tree, r.lim.Files, treeExtensions[:], func(name string, info fs.FileInfo) error {
		if total += info.Size(); total > r.lim.Document {
			return tooLarge(formatName, name, r.lim.Document)
		}
		r.notes = append(r.notes, note{
			name: name, modified: info.ModTime(),
			open: func() (io.ReadCloser, error) { return tree.Open(name) },
		})
		return nil
	})
	return r, err
}

// Next returns the next record of the folder.
func (r *treeReader) Next() (memory.Record, error) {
	for {
		switch ok, err := r.enter(); {
		case err != nil:
			return memory.Record{}, err
		case !ok:
			return r.markdownReader.Next()
		}
		rec, err := r.lines.Next()
		if err != io.EOF {
			return rec, inFile(err, r.name)
		}
		if err := r.leave(); err != nil {
			return memory.Record{}, err
		}
	}
}

// enter opens the next file if it holds JSON, and reports whether one is open.
func (r *treeReader) enter() (bool, error) {
	if r.lines != nil {
		return true, nil
	}
	if len(r.notes) == 0 || strings.HasSuffix(r.notes[0].name, markdownExtension) {
		return false, nil
	}
	n := r.notes[0]
	file, err := n.open()
	if err != nil {
		return false, err
	}
	r.notes = r.notes[1:]
	r.file, r.name = file, n.name
	r.lines = &reader{elements: canon.NewElements(file, bounds(r.lim)), opt: r.opt, lim: r.lim, modified: n.modified}
	return true, nil
}

// leave closes the present file.
func (r *treeReader) leave() error {
	r.lines = nil
	return r.file.Close()
}

// Close closes the present file, if there is one.
func (r *treeReader) Close() error {
	if r.lines == nil {
		return nil
	}
	return r.leave()
}

// inFile adds the name of the file to a violation.
func inFile(err error, name string) error {
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		e.File = name
	}
	return err
}

// validateTree reports every violation of every file.
func validateTree(tree fs.FS, opt codec.Options, report func(*codec.ParseError)) error {
	r, err := openTree(tree, opt)
	if err != nil {
		return reportViolation(err, report)
	}
	for {
		switch ok, err := r.enter(); {
		case err != nil:
			return err
		case !ok && len(r.notes) == 0:
			return nil
		case !ok:
			if err := r.validateNote(report); err != nil {
				return err
			}
			continue
		}
		named := func(e *codec.ParseError) { e.File = r.name; report(e) }
		if err := r.lines.validate(named); err != nil {
			return errors.Join(err, r.leave())
		}
		if err := r.leave(); err != nil {
			return err
		}
	}
}

// detectTree looks at the first UMP JSON file of a folder.
func detectTree(tree fs.FS) codec.Confidence {
	confidence := codec.No
	_ = walkFiles(tree, 10_000, treeExtensions[:2], func(name string, info fs.FileInfo) error { // a folder that cannot be read does not count
		file, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		head, err := io.ReadAll(io.LimitReader(file, detectBytes))
		if err != nil {
			return err
		}
		confidence = max(codec.Possible, detectHead(strings.NewReader(string(head)), info.Size() > detectBytes))
		return fs.SkipAll
	})
	return confidence
}
