package vault

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ImportOptions name the document that is taken in.
type ImportOptions struct {
	Name     string // file or folder name, for people
	Format   string
	Digest   string     // of the whole document, so that it is known again; empty: none
	Adopt    memory.DID // unsigned records of this owner become the caller's; empty: none do
	DryRun   bool       // say what would happen and change nothing
	Progress func(done int)
}

// ImportReport says what an import did, or would do.
type ImportReport struct {
	Number  int64 // of the import, for undo; 0 when nothing was stored
	Format  string
	Name    string
	Read    int // records in the document
	Created int // records added
	Merged  int // records that were here already
	Skipped int // records left out because they were forgotten here
	Known   bool
	DryRun  bool
	Losses  []codec.Loss
	Samples []memory.Record // the first few that are added
}

// samples is how many records a report shows.
const samples = 5

// importBatch is how many records are staged in one transaction.
const importBatch = 256

// lease is how long a stalled import is taken to be still at work.
const lease = 2 * time.Minute

// Import takes in a document: wholly or not at all. Its records are staged in
// short transactions, so that others can write meanwhile, and published in one.
// Importing the same document again changes nothing.
func (v *Vault) Import(ctx context.Context, c memory.Caller, r codec.Reader, o ImportOptions) (ImportReport, error) {
	const op = "import"
	report := ImportReport{Format: o.Format, Name: o.Name, DryRun: o.DryRun}
	if err := v.mayWrite(op, c); err != nil {
		return report, err
	}
	m := &importing{vault: v, caller: c, options: o, report: &report, now: instant(v.now()), seen: map[string]bool{}}
	known, err := m.known(ctx)
	if err != nil {
		return report, v.refusal(op, "", err)
	}
	if known {
		report.Known = true
		return report, nil
	}
	if err := m.run(ctx, r); err != nil {
		return report, errors.Join(v.refusal(op, "", err), m.discard(context.WithoutCancel(ctx)))
	}
	report.Losses = append(report.Losses, r.Losses()...)
	return report, nil
}

// importing is one import under way.
type importing struct {
	vault   *Vault
	caller  memory.Caller
	options ImportOptions
	report  *ImportReport
	now     time.Time
	number  int64           // of the import, once anything is staged
	seen    map[string]bool // dry run: what the document itself said before
	closing []memory.ID     // staged records that supersede others
}

// known reports whether this very document has been taken in before.
func (m *importing) known(ctx context.Context) (bool, error) {
	if m.options.Digest == "" {
		return false, nil
	}
	known := false
	err := m.vault.store.View(ctx, m.caller.Owner, func(r store.Reader) error {
		imports, err := r.Imports()
		for _, i := range imports {
			known = known || (i.State == store.Published && i.Digest == m.options.Digest)
		}
		return err
	})
	return known, err
}

// run reads, prepares and stages batch by batch; the last one publishes.
func (m *importing) run(ctx context.Context, r codec.Reader) error {
	batches := m.read(ctx, r)
	defer batches.stop()
	for {
		b, err := batches.next()
		if err != nil {
			return err
		}
		if err := m.take(ctx, b); err != nil {
			return err
		}
		m.report.Read += len(b.ready)
		if m.options.Progress != nil {
			m.options.Progress(m.report.Read)
		}
		if b.last {
			return nil
		}
	}
}

// take stages one batch, or looks at what would become of it.
func (m *importing) take(ctx context.Context, b batch) error {
	owner, before := m.caller.Owner, m.state()
	if m.options.DryRun {
		return m.vault.store.View(ctx, owner, func(r store.Reader) error {
			m.reset(before)
			return m.look(r, b)
		})
	}
	return m.vault.store.Update(ctx, owner, func(w store.Writer) error {
		m.reset(before)
		return m.stage(w, b)
	})
}

// counts is what a transaction that runs again must start from.
type counts struct {
	report  ImportReport
	number  int64
	closing int
}

func (m *importing) state() counts {
	return counts{report: *m.report, number: m.number, closing: len(m.closing)}
}

func (m *importing) reset(to counts) {
	*m.report, m.number, m.closing = to.report, to.number, m.closing[:to.closing]
}

// stage stores a batch out of sight. A document that fits one batch is published
// at once.
func (m *importing) stage(w store.Writer, b batch) error {
	for _, p := range b.ready {
		if m.number == 0 {
			if err := m.begin(w); err != nil {
				return err
			}
		}
		p.imp, p.staged = m.number, true
		if err := m.admit(w, p); err != nil {
			return err
		}
	}
	if b.last {
		return m.publish(w)
	}
	return m.file(w, store.Staging)
}

func (m *importing) begin(w store.Writer) (err error) {
	m.number, err = w.SetImport(m.entry(store.Staging))
	return err
}

func (m *importing) entry(s store.ImportState) store.Import {
	return store.Import{
		Number: m.number, Digest: m.options.Digest, Format: m.options.Format, Name: m.options.Name,
		At: m.now, State: s, Lease: m.vault.now().Add(lease), Created: m.report.Created, Merged: m.report.Merged,
	}
}

func (m *importing) file(w store.Writer, s store.ImportState) error {
	if m.number == 0 {
		return nil
	}
	_, err := w.SetImport(m.entry(s))
	return err
}

func (m *importing) admit(w store.Writer, p prepared) error {
	gone, err := m.vault.forgottenHere(w, p)
	if err != nil {
		return err
	}
	if gone {
		m.skip(p)
		return nil
	}
	done, err := m.vault.admit(w, p, m.now)
	if err != nil {
		return err
	}
	if done.Outcome == memory.Merged {
		m.report.Merged++
		return nil
	}
	m.created(p)
	return nil
}

func (m *importing) created(p prepared) {
	m.report.Created++
	if len(m.report.Samples) < samples {
		m.report.Samples = append(m.report.Samples, p.rec)
	}
	if len(p.rec.Supersedes) > 0 {
		m.closing = append(m.closing, p.rec.ID)
	}
}

func (m *importing) skip(p prepared) {
	m.report.Skipped++
	m.report.Losses = append(m.report.Losses, codec.Loss{ID: p.rec.ID,
		Reason: "forgotten here earlier and not brought back"})
}

// publish makes the staged records visible, closes what they supersede and
// notes the change: from here on the import has happened.
func (m *importing) publish(w store.Writer) error {
	if m.number == 0 {
		return nil // an empty document
	}
	if _, err := w.Publish(m.number); err != nil {
		return err
	}
	if err := m.link(w); err != nil {
		return err
	}
	m.report.Number = m.number
	if m.report.Created > 0 {
		if _, err := w.Record(store.Change{At: m.now, Type: store.Imported, Import: m.number}); err != nil {
			return err
		}
	}
	return m.file(w, store.Published)
}

// look says what would become of a batch, without writing.
func (m *importing) look(r store.Reader, b batch) error {
	for _, p := range b.ready {
		gone, err := m.vault.forgottenHere(r, p)
		if err != nil {
			return err
		}
		if gone {
			m.skip(p)
			continue
		}
		there, err := m.vault.present(r, p, m.now)
		if err != nil {
			return err
		}
		mark := p.mergeKey
		if mark == "" {
			mark = string(p.rec.ID)
		}
		if there || m.seen[mark] {
			m.report.Merged++
			continue
		}
		m.seen[mark] = true
		m.created(p)
	}
	return nil
}

// discard removes what a failed import has staged.
func (m *importing) discard(ctx context.Context) error {
	if m.number == 0 {
		return nil
	}
	_, err := m.vault.unstage(ctx, m.caller.Owner, m.number)
	return m.vault.refusal("import", "", err)
}

// batch is a run of records ready to be stored.
type batch struct {
	ready []prepared
	last  bool
	err   error
}

// batches prepares the records of a document ahead of the store.
type batches struct {
	queue  chan batch
	cancel context.CancelFunc
}

// read decodes and signs in the background, one batch ahead.
func (m *importing) read(ctx context.Context, r codec.Reader) *batches {
	ctx, cancel := context.WithCancel(ctx)
	b := &batches{queue: make(chan batch), cancel: cancel}
	go func() {
		defer close(b.queue)
		for {
			next := m.prepareBatch(r)
			select {
			case b.queue <- next:
			case <-ctx.Done():
				return
			}
			if next.last || next.err != nil {
				return
			}
		}
	}()
	return b
}

func (b *batches) next() (batch, error) {
	next, ok := <-b.queue
	if !ok {
		return batch{}, context.Canceled
	}
	return next, next.err
}

// stop ends the reading and waits until the reader is no longer in use.
func (b *batches) stop() {
	b.cancel()
	for range b.queue {
	}
}

func (m *importing) prepareBatch(r codec.Reader) batch {
	var b batch
	for len(b.ready) < importBatch {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			b.last = true
			return b
		}
		if err == nil {
			var p prepared
			if p, err = m.vault.prepareImport(m.caller, rec, m.options.Adopt, m.now); err == nil {
				b.ready = append(b.ready, p)
				continue
			}
		}
		b.err = err
		return b
	}
	return b
}
