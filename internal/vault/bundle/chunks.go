package bundle

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// incoming is a chunk to import.
type incoming struct {
	chunk aimem.Chunk // as received
	taken aimem.Conversion
	ready *vault.Prepared // nil: it was here already when it was read
}

// load is a run of chunks, read, mapped and signed.
type load struct {
	chunks []incoming
	full   bool // enough for a transaction
	err    error
}

// chunks imports the chunks: it prepares one load while it stores another.
func (m *bundleImport) chunks(ctx context.Context) error {
	within, cancel := context.WithCancel(ctx)
	queue := make(chan load)
	go func() {
		defer close(queue)
		m.read(within, queue)
	}()
	defer func() {
		cancel()
		for range queue { // until the bundle is no longer read
		}
	}()
	done := 0
	for next := range queue {
		if next.err != nil {
			return next.err
		}
		work := func(r store.Reader, w store.Writer) error { return m.settleAll(r, w, next.chunks) }
		if err := m.step(ctx, len(next.chunks), work); err != nil {
			return err
		}
		if next.full { // at once, so that no more than two loads are in memory
			if err := m.flush(ctx, nil); err != nil {
				return err
			}
		}
		if done += len(next.chunks); m.asked.Progress != nil {
			m.asked.Progress(done)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return m.step(ctx, 1, m.settleParts)
}

// read walks the chunks and sends them in loads.
func (m *bundleImport) read(ctx context.Context, queue chan<- load) {
	var next load
	size := 0
	send := func() error {
		next.err = m.ready(ctx, next.chunks)
		select {
		case queue <- next:
		case <-ctx.Done():
			return vault.ErrStopped
		}
		if next.err != nil {
			return vault.ErrStopped
		}
		next, size = load{}, 0
		return nil
	}
	err := m.bundle.Chunks(func(c aimem.Chunk) error {
		next.chunks = append(next.chunks, incoming{chunk: c})
		if size += len(c.Content) + len(c.Embedding); len(next.chunks) < m.kernel.Batch() && size < vault.ImportBytes {
			return nil
		}
		next.full = true
		return send()
	})
	if err == nil && len(next.chunks) > 0 {
		err = send()
	}
	if err != nil && !errors.Is(err, vault.ErrStopped) {
		select {
		case queue <- load{err: err}:
		case <-ctx.Done():
		}
	}
}

// ready maps chunks to records, and signs those that are not here yet. One goroutine
// reads the bundle; several sign.
func (m *bundleImport) ready(ctx context.Context, chunks []incoming) error {
	fresh := make([]bool, len(chunks))
	err := m.kernel.Store().View(ctx, m.Caller.Owner, func(r store.Reader) (err error) {
		if m.denies.reading, err = vault.Denying(r); err != nil {
			return err
		}
		for i := range chunks {
			p := &chunks[i]
			taken, err := m.takeOne(r, p.chunk)
			if err != nil {
				return err
			}
			p.taken = taken
			if taken.PartOf != "" {
				continue
			}
			f, err := m.find(r, p.chunk, taken.Record.ID)
			if err != nil {
				return err
			}
			fresh[i] = !f.found()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.signAll(chunks, fresh)
}

func (m *bundleImport) signAll(chunks []incoming, fresh []bool) error {
	signers := min(runtime.GOMAXPROCS(0), len(chunks))
	errs := make([]error, signers)
	var wait sync.WaitGroup
	for n := range signers {
		wait.Go(func() {
			words := &recall.Indexer{}
			for i := n; i < len(chunks) && errs[n] == nil; i += signers {
				if fresh[i] {
					errs[n] = m.sign(&chunks[i], words)
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// sign prepares the record of a chunk for storing.
func (m *bundleImport) sign(p *incoming, words *recall.Indexer) error {
	index := func(rec memory.Record) store.Document { return vault.DocumentBy(words, rec) }
	ready, err := m.finished(p.taken.Record, p.taken.Restored, index)
	if err == nil {
		p.ready = &ready
	}
	return err
}

// finished completes a record and signs it as its owner, unless it is restored as its
// owner signed it elsewhere.
func (m *bundleImport) finished(rec memory.Record, restored bool, index func(memory.Record) store.Document) (vault.Prepared, error) {
	complete := restored && rec.Integrity != nil
	if !complete {
		rec = m.marked(rec)
	}
	if err := vault.Admissible("import", m.Caller, rec); err != nil {
		return vault.Prepared{}, err
	}
	return m.kernel.Signed(rec, memory.Draft{Record: rec, Complete: complete}, index)
}

// marked adds the token that brought a record to the record.
func (m *importState) marked(rec memory.Record) memory.Record {
	if rec.Provenance == nil {
		rec.Provenance = vault.Stamp(m.Caller, "import", "")
	}
	return vault.Marked(rec, m.Caller)
}

// takeOne maps a chunk. A chunk from anybody but the owner in person becomes that
// caller's statement: it is not restored as the owner's own or as shared; its consent
// stays.
func (m *bundleImport) takeOne(r store.Reader, c aimem.Chunk) (aimem.Conversion, error) {
	id := func(urn aimem.URN) (memory.ID, error) { return m.target(r, urn) }
	taken, err := m.mapper.Convert(c, m.bundle, id)
	if err != nil || m.Caller.Role == memory.Owner || !taken.Restored && !vault.Visibility(taken.Record).WiderThan(memory.Private) {
		return taken, err
	}
	if m.Caller.Role == memory.Agent && !vault.Visibility(taken.Record).WiderThan(memory.Private) {
		return taken, nil
	}
	return m.mapper.Convert(c.WithoutRecord(), m.bundle, id)
}
