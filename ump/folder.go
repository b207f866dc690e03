package ump

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// note is one Markdown file to be read.
type note struct {
	name     string // within the folder; empty for a file on its own
	modified time.Time
	open     func() (io.ReadCloser, error)
}

// markdownReader yields one record per file, in the order of their names.
type markdownReader struct {
	notes  []note
	opt    codec.Options
	lim    codec.Limits
	losses codec.LossList
}

var _ codec.Reader = (*markdownReader)(nil)

func openMarkdown(src codec.Source, opt codec.Options) (codec.Reader, error) {
	r := &markdownReader{opt: opt, lim: opt.Limits.Filled()}
	if src.Tree != nil {
		return r, r.list(src.Tree)
	}
	if src.File == nil {
		return nil, &memory.Error{Kind: memory.InvalidRecord, Op: "open", Message: "there is neither a file nor a folder to read"}
	}
	if src.Size > min(r.lim.Document, r.lim.Record) {
		return nil, tooLarge(markdownName, "", min(r.lim.Document, r.lim.Record))
	}
	file := io.NewSectionReader(src.File, 0, src.Size)
	r.notes = []note{{modified: src.Modified, open: func() (io.ReadCloser, error) { return io.NopCloser(file), nil }}}
	return r, nil
}

// list finds the files of a folder. It skips links and everything else that is not a
// regular file.
func (r *markdownReader) list(tree fs.FS) error {
	var total int64
	return walkFiles(tree, r.lim.Files, []string{markdownExtension}, func(name string, info fs.FileInfo) error {
		if total += info.Size(); total > r.lim.Document {
			return tooLarge(markdownName, name, r.lim.Document)
		}
		if len(r.notes) == r.lim.Records {
			return &codec.ParseError{
				Format: markdownName, File: name, Rule: "UMP-4.3-1",
				Err: errors.New("is one more than the limit of " + strconv.Itoa(r.lim.Records) + " records; split the folder, or raise the limit"),
			}
		}
		r.notes = append(r.notes, note{
			name: name, modified: info.ModTime(),
			open: func() (io.ReadCloser, error) { return tree.Open(name) },
		})
		return nil
	})
}

// walkFiles calls found with every file of a folder that has one of the
// extensions, and gives up after limit files of any kind.
func walkFiles(tree fs.FS, limit int, extensions []string, found func(name string, info fs.FileInfo) error) error {
	files := 0
	return fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if files++; files > limit {
			return &codec.ParseError{
				Format: formatName, File: name, Rule: "UMP-4.3-1",
				Err: errors.New("is one more than the limit of " + strconv.Itoa(limit) + " files; split the folder, or raise the limit"),
			}
		}
		if !slices.ContainsFunc(extensions, func(ext string) bool { return strings.HasSuffix(name, ext) }) {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return found(name, info)
	})
}

// Next returns the record of the next file.
func (r *markdownReader) Next() (memory.Record, error) {
	d, data, err := r.next(modeFile)
	if err != nil {
		return memory.Record{}, err
	}
	record, losses, err := d.decodeMarkdown(data)
	if err != nil {
		return memory.Record{}, err
	}
	r.losses.Add(losses...)
	return record, nil
}

// next reads the next file, and returns a decoder for it.
func (r *markdownReader) next(m mode) (*decoder, []byte, error) {
	if len(r.notes) == 0 {
		return nil, nil, io.EOF
	}
	n := r.notes[0]
	r.notes = r.notes[1:]
	d := newDecoder(m, r.opt)
	d.format, d.file, d.modified = markdownName, n.name, n.modified
	file, err := n.open()
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, r.lim.Record+1)) // one byte more, so that the decoder sees that the file is too long
	if closed := file.Close(); err == nil {
		err = closed
	}
	return d, data, err
}

// Losses returns the signatures that an edit made invalid.
func (r *markdownReader) Losses() []codec.Loss { return r.losses.All() }

// Close does nothing: no file stays open between calls of Next.
func (r *markdownReader) Close() error { return nil }

// validateMarkdown reports every violation of every file.
func validateMarkdown(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	opened, err := openMarkdown(src, opt)
	if err != nil {
		return reportViolation(err, report)
	}
	r := opened.(*markdownReader)
	for len(r.notes) > 0 {
		if err := r.validateNote(report); err != nil {
			return err
		}
	}
	return nil
}

// validateNote reports every violation of the next file.
func (r *markdownReader) validateNote(report func(*codec.ParseError)) error {
	d, data, err := r.next(modeComplete)
	if err != nil {
		return err
	}
	v, err := d.parseMarkdown(data)
	if err != nil {
		return reportViolation(err, report)
	}
	d.violations(v)
	for _, e := range d.found {
		report(e)
	}
	return nil
}

// detectMarkdown looks for front matter that names an edition.
func detectMarkdown(src codec.Source) codec.Confidence {
	switch {
	case src.Tree != nil:
		return detectFolder(src.Tree)
	case src.File == nil:
		return codec.No
	}
	return detectNote(io.NewSectionReader(src.File, 0, min(src.Size, detectBytes)))
}

// detectFolder looks at the first *.ump.md file of a folder.
func detectFolder(tree fs.FS) codec.Confidence {
	confidence := codec.No
	_ = walkFiles(tree, 10_000, []string{markdownExtension}, func(name string, _ fs.FileInfo) error { // a folder that cannot be read does not count
		file, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		confidence = detectNote(io.LimitReader(file, detectBytes))
		return fs.SkipAll
	})
	return confidence
}

func detectNote(head io.Reader) codec.Confidence {
	data, err := io.ReadAll(head)
	if err != nil {
		return codec.No
	}
	front, _, err := splitFile(string(data))
	if err != nil {
		return codec.No
	}
	v, err := parseFront(front, canon.Options{Depth: codec.Limits{}.Filled().Depth})
	switch {
	case err != nil:
		return codec.No
	case v.Has("ump"):
		return codec.Certain
	case v.Has("kind") && v.Has("scope"):
		return codec.Likely
	}
	return codec.No
}
