package engramgo

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostBytes bounds a document where the options do not: it is held in memory.
const mostBytes = 128 << 20

// manifestName is the file that lists the chunks of a sync folder.
const manifestName = "manifest.json"

// part is one document: the export, or a chunk.
type part struct {
	file string // inside the folder; empty: the source is one file
	canon.Value
	mended canon.Mended
}

// reader yields the observations of all parts.
type reader struct{ codec.Made }

// open reads the source whole and stops at the first thing that is wrong.
func open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	opt.Mend = true
	r, found, err := read(src, opt)
	if err == nil && len(found) > 0 {
		err = found[0]
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// validate reports everything that is wrong.
func validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	_, found, err := read(src, opt)
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		report(p)
		return nil
	}
	for _, p := range found {
		report(p)
	}
	return err
}

// read makes records of a source, and finds what is wrong with it.
func read(src codec.Source, opt codec.Options) (*reader, []*codec.ParseError, error) {
	opt.Limits = opt.Limits.Filled()
	if opt.Owner == "" {
		return nil, nil, violation(ruleOwner, "", "", "names no owner; say whose memories these are")
	}
	parts, err := partsOf(src, opt)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{}
	var found []*codec.ParseError
	seen := map[string]bool{}
	for _, p := range parts {
		r.Lost = append(r.Lost, codec.MendedLossesIn(func(pointer string) string { return strings.TrimSpace(p.file + " " + pointer) }, p.mended)...)
		found = append(found, r.take(p, opt, seen)...)
	}
	if len(r.Records) > opt.Limits.Records {
		found = append(found, violation(ruleLimit, "", "/observations", "are more than may be read"))
	}
	return r, found, nil
}

// partsOf reads the documents of a source.
func partsOf(src codec.Source, opt codec.Options) ([]part, error) {
	if src.Tree != nil {
		return chunks(src.Tree, opt)
	}
	most := bound(opt)
	if src.File == nil || src.Size > most {
		return nil, violation(ruleLimit, "", "", "is no file, or larger than may be read")
	}
	raw := make([]byte, src.Size)
	if _, err := io.ReadFull(io.NewSectionReader(src.File, 0, src.Size), raw); err != nil {
		return nil, fmt.Errorf("read %s: %w", src.Name, err)
	}
	p, err := parse("", raw, opt)
	return []part{p}, err
}

func bound(opt codec.Options) int64 { return min(opt.Limits.Document, mostBytes) }

func parse(file string, raw []byte, opt codec.Options) (part, error) {
	v, mended, err := opt.JSON(raw, int64(len(raw))+1)
	if err != nil {
		p := violation(ruleJSON, file, "", err.Error())
		if c, ok := errors.AsType[*canon.Error](err); ok {
			p.Path, p.Err = c.Pointer, err
		}
		return part{}, p
	}
	return part{file, v, mended}, nil
}

// chunks reads the chunks of a sync folder, in the order of its manifest.
func chunks(tree fs.FS, opt codec.Options) ([]part, error) {
	raw, err := readFile(tree, manifestName, bound(opt))
	if err != nil {
		return nil, err
	}
	manifest, err := parse(manifestName, raw, opt)
	if err != nil {
		return nil, err
	}
	list := manifest.Get("chunks").Items()
	if len(list) > opt.Limits.Files {
		return nil, violation(ruleLimit, manifestName, "/chunks", "are more files than may be read")
	}
	var parts []part
	left := bound(opt)
	for _, c := range list {
		name := path.Join("chunks", path.Base(c.Get("id").Text())+".jsonl.gz")
		raw, err := readFile(tree, name, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(raw))
		p, err := parse(name, raw, opt)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// readFile reads a file of a folder, unpacked, of at most so many bytes.
func readFile(tree fs.FS, name string, most int64) ([]byte, error) {
	f, err := tree.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, violation(ruleJSON, name, "", "belongs to the folder and is not there")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	var in io.Reader = f
	if path.Ext(name) == ".gz" {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, violation(ruleJSON, name, "", "cannot be unpacked")
		}
	}
	raw, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, violation(ruleJSON, name, "", "cannot be read to its end")
	case int64(len(raw)) > most:
		return nil, violation(ruleLimit, name, "", "is larger than may be read")
	}
	return raw, nil
}
