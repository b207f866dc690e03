package engramgo

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// mostBytes bounds the chunks of a folder together; each is unpacked in memory.
const mostBytes = 128 << 20

// manifestName is the file that lists the chunks of a sync folder.
const manifestName = "manifest.json"

// part is one document: the export, or a chunk.
type part struct {
	file string // in the folder; empty: the source is one file
	src  codec.Source
}

var rules = codec.Rules{Format: formatName, JSON: ruleJSON, Limit: ruleLimit}

// partsReader reads the observations of all parts, one after the other.
type partsReader struct {
	src  codec.Source
	opt  codec.Options
	lost codec.LossList
	kept codec.Salvage
	seen codec.TextSet // the ids and texts of observations yielded so far
}

// open starts to read a source.
func open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	opt.Mend = true
	d, err := newReading(src, opt)
	if err != nil {
		return nil, err
	}
	return codec.WalkReader(d.walk, d.lost.All), nil
}

// validate reports every fault.
func validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	d, err := newReading(src, opt)
	if err != nil {
		return codec.ValidateWalk(nil, err, report)
	}
	return codec.ValidateWalk(d.walk, nil, report)
}

func newReading(src codec.Source, opt codec.Options) (*partsReader, error) {
	opt.Limits = opt.Limits.Filled()
	if opt.Owner == "" {
		return nil, violation(ruleOwner, "", "", "names no owner; say whose memories these are")
	}
	if src.Tree == nil && src.File == nil {
		return nil, violation(ruleLimit, "", "", "is neither a file nor a folder")
	}
	return &partsReader{src: src, opt: opt, seen: codec.TextSet{}}, nil
}

// walk yields the observations of all parts. A fault of a whole part ends the walk.
func (d *partsReader) walk(yield func(memory.Record, error) bool) {
	for p, err := range d.parts {
		if err == nil {
			err = d.take(p, yield)
		}
		if errors.Is(err, errEnough) || err != nil && !yield(memory.Record{}, err) {
			return
		}
	}
	if refused := d.kept.Refusal(); refused != nil {
		yield(memory.Record{}, refused)
	}
}

// errEnough says that the caller wants no more.
var errEnough = errors.New("enough")

// parts yields the documents of a source: the file, or the chunks of a sync folder in the
// order of its manifest.
func (d *partsReader) parts(yield func(part, error) bool) {
	if d.src.Tree == nil {
		yield(part{src: d.src}, nil)
		return
	}
	list, err := d.manifest()
	if err != nil {
		yield(part{}, err)
		return
	}
	left := bound(d.opt)
	for _, c := range list {
		name := path.Join("chunks", path.Base(c.Get("id").Text())+".jsonl.gz")
		raw, err := readFile(d.src.Tree, name, left)
		left -= int64(len(raw))
		p := part{name, codec.Source{Name: name, File: bytes.NewReader(raw), Size: int64(len(raw)), Modified: d.src.Modified}}
		if !yield(p, err) || err != nil {
			return
		}
	}
}

// manifest lists the chunks of a sync folder.
func (d *partsReader) manifest() ([]canon.Value, error) {
	raw, err := readFile(d.src.Tree, manifestName, min(bound(d.opt), d.opt.Limits.Record))
	if err != nil {
		return nil, err
	}
	v, mended, err := d.opt.JSON(raw, int64(len(raw))+1)
	if err != nil {
		p := violation(ruleJSON, manifestName, "", err.Error())
		if c, ok := errors.AsType[*canon.Error](err); ok {
			p.Path, p.Err = c.Pointer, err
		}
		return nil, p
	}
	d.lost.Add(codec.MendedLosses(manifestName+" ", mended)...)
	list := v.Get("chunks").Items()
	if len(list) > d.opt.Limits.Files {
		return nil, violation(ruleLimit, manifestName, "/chunks", "are more files than may be read")
	}
	return list, nil
}

func bound(opt codec.Options) int64 { return min(opt.Limits.Document, mostBytes) }

// readFile reads a file of a folder, unpacked, with at most most bytes.
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
