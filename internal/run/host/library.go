package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// library reads the owner's copies of documents that lie elsewhere. One call of a Host uses it.
type library struct {
	files fs.FS             // nil: there are no copies
	began map[string]string // the digests of a run's documents, by address; nil: no run has begun
	read  map[string]string // the digests of the documents that were read, by address
}

// whole returns a definition whose schemas hold the owner's copies of documents that they refer
// to.
func (l *library) whole(d aaif.Definition) aaif.Definition {
	if l.files == nil {
		return d
	}
	d.Agent.Tools = slices.Clone(d.Agent.Tools)
	for i := range d.Agent.Tools {
		t := &d.Agent.Tools[i]
		t.Parameters, t.Output = shape.Whole(t.Parameters, l.document), shape.Whole(t.Output, l.document)
	}
	d.Agent.IO.Input, d.Agent.IO.Output = shape.Whole(d.Agent.IO.Input, l.document), shape.Whole(d.Agent.IO.Output, l.document)
	return d
}

// document implements [shape.Documents].
func (l *library) document(address string) canon.Value {
	raw, digest := l.open(address)
	if raw == nil || l.began != nil && l.began[address] != digest {
		return canon.Value{}
	}
	v, err := aaif.FromJSON(raw, aaif.ReadOptions{})
	if err != nil || v.Type() != canon.TypeObject && v.Type() != canon.TypeBool {
		return canon.Value{}
	}
	l.read[address] = digest
	return v
}

// open reads the document at an address; nil: it is not here, or too long.
func (l *library) open(address string) (raw []byte, digest string) {
	raw = copyOf(l.files, address, shape.MostBytes+1)
	if raw == nil || len(raw) > shape.MostBytes {
		return nil, ""
	}
	sum := sha256.Sum256(raw)
	return raw, "sha256:" + hex.EncodeToString(sum[:])
}

// copyOf reads the copy of the document at an address, up to a number of bytes; nil: there is no
// copy.
func copyOf(files fs.FS, address string, most int64) []byte {
	name := shape.Path(address)
	if files == nil || name == "" {
		return nil
	}
	f, err := files.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read from
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return raw
}

// fetcher returns the function that reads a context by its address: from the owner's copy, or from
// the Internet if there is none.
func (s Settings) fetcher() func(context.Context, string) ([]byte, string, error) {
	from := s.Fetch
	if from == nil {
		from = fetch
	}
	return func(ctx context.Context, address string) ([]byte, string, error) {
		if raw := copyOf(s.Copies, address, mostFetched); raw != nil {
			return raw, policy.MediaOf(shape.Path(address)), nil
		}
		raw, media, err := from(ctx, address)
		if file := shape.Path(address); err != nil && file != "" {
			err = fmt.Errorf("%w; a copy of it may lie at run/copies/%s in the folder of the store", err, file)
		}
		return raw, media, err
	}
}

// keep limits the library to the documents with which a run began. It fails if one of them has
// changed: other schemas would then hold for the run.
func (l *library) keep(began map[string]string) error {
	for address, digest := range began {
		if _, now := l.open(address); now != digest {
			return &aaif.Fault{Code: settingsDiffer, Text: fmt.Sprintf("run/copies/%s is not the document that the run began with (%s): put that one back, and the run goes on", shape.Path(address), digest)}
		}
	}
	if l.began = began; began == nil {
		l.began = map[string]string{}
	}
	return nil
}
