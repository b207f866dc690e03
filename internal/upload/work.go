package upload

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// look reads the file to say what an import would do.
func (f *file) look(ctx context.Context) (State, error) {
	format, err := formatOf(f.input.Source)
	if err != nil {
		return Failed, err
	}
	digest, err := source.DigestToImport(f.input.Source, format.Name, false)
	if err != nil {
		return Failed, openError(err)
	}
	f.mu.Lock()
	f.format, f.digest = format, digest
	f.mu.Unlock()
	report, err := f.run(ctx, true)
	if err == nil && !report.Known && report.Read+report.Before+report.Units == 0 && len(report.Losses) == 0 {
		err = &memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "the file holds no memories"}
	}
	if err != nil { // such a file cannot be imported
		f.mu.Lock()
		f.digest = ""
		f.mu.Unlock()
	}
	return Read, err
}

// take imports the file.
func (f *file) take(ctx context.Context) (State, error) {
	_, err := f.run(ctx, false)
	return Imported, err
}

// run imports the file, or says what that would do.
func (f *file) run(ctx context.Context, dry bool) (vault.ImportReport, error) {
	meter := &byteCounter{ReaderAt: f.input.File}
	src := f.input.Source
	if src.File != nil {
		src.File = meter
	}
	r, err := f.format.Open(src, codec.Options{Owner: f.caller.Owner, Now: f.inbox.options.Now, Apart: true})
	if err != nil {
		return vault.ImportReport{}, err
	}
	f.mu.Lock()
	f.far = farIn(r, meter, src.Size)
	f.mu.Unlock()
	m := memoriesOf(r)
	report, err := f.inbox.vault.Import(ctx, f.caller, m, vault.ImportOptions{
		Name: f.input.Name, Format: f.format.Name, Digest: f.digest, DryRun: dry,
		Progress: func(n int) { f.mu.Lock(); defer f.mu.Unlock(); f.records = n },
	})
	f.mu.Lock()
	f.report, f.masked = report, m.counts().masked
	f.mu.Unlock()
	return report, errors.Join(err, r.Close())
}

// formatOf finds the format of a file that is one document without a signature of its own.
func formatOf(src codec.Source) (codec.Format, error) {
	if formats.Mixed(src) {
		return codec.Format{}, unsupported("the archive holds documents of several formats; unpack it and send them one by one, or run satchel import on it")
	}
	f, err := formats.Detect(src)
	if err != nil {
		notes, ok := formats.Notes(src)
		if !ok {
			return f, err
		}
		return notes, nil
	}
	if f.Name == aimem.Name && src.File != nil || f.Name == engram.Name {
		return f, unsupported("the file is a signed bundle or export of another memory; satchel import checks its signature and takes it")
	}
	return f, nil
}

func unsupported(message string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: message}
}

// byteCounter counts the bytes read from a file.
type byteCounter struct {
	io.ReaderAt
	read atomic.Int64
}

// ReadAt implements [io.ReaderAt].
func (w *byteCounter) ReadAt(p []byte, at int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(p, at)
	w.read.Add(int64(n))
	return n, err
}

// farIn returns a function that says how far a newly opened reader is.
func farIn(r codec.Reader, w *byteCounter, size int64) func() (done, total int64) {
	if m, ok := r.(codec.Progress); ok {
		return m.Reached
	}
	if w.ReaderAt == nil {
		return nil
	}
	opened := w.read.Load()
	return func() (done, total int64) { return min(w.read.Load()-opened, size), size }
}

// memories reads the memories of a document with masked secrets, as satchel import does.
type memories struct {
	codec.Reader
	masked int
}

// counted is a document that counts what it masks.
type counted interface {
	codec.Reader
	counts() *memories
}

// memoriesOf reads the memories of a document; an archive stays one.
func memoriesOf(r codec.Reader) counted {
	m := &memories{Reader: r}
	if units, ok := r.(codec.Units); ok {
		return memoriesInUnits{m, units}
	}
	return m
}

func (m *memories) counts() *memories { return m }

// Next returns the next memory. What is signed stays as it is.
func (m *memories) Next() (memory.Record, error) {
	for {
		rec, err := m.Reader.Next()
		switch {
		case err != nil:
			return rec, err
		case aimem.IsManifest(rec):
			continue // it serves a conversion back, and is no memory
		case rec.Integrity != nil:
			return rec, nil
		}
		masked, counts := redact.Secrets().Record(rec)
		if counts == nil {
			return rec, nil
		}
		m.masked += counts.Total()
		return masked, nil
	}
}

// memoriesInUnits reads the memories of an archive.
type memoriesInUnits struct {
	*memories
	units codec.Units
}

var _ codec.Units = memoriesInUnits{}

// Unit returns the unit of the last memory that Next returned.
func (m memoriesInUnits) Unit() int { return m.units.Unit() }
