package vault

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ImportOptions describe the import of a document.
type ImportOptions struct {
	Name     string // file or folder name, for people
	Format   string
	Place    string     // where the document was, if its names hold only there; empty: unknown, or they hold anywhere
	Digest   string     // of the whole document, to recognise it; empty: none
	Adopt    memory.DID // unsigned records of this owner become the caller's; empty: none do
	Restore  bool       // import records again that were erased here
	DryRun   bool       // say what would happen and change nothing
	Progress func(done int)
}

// lease is how long a silent import counts as running.
const lease = 2 * time.Minute

// Import imports a document, wholly or not at all. It stages the records in short
// transactions, so that others can write meanwhile, and publishes them in one. Until
// then nothing that was here changes. Importing the same document again changes nothing.
//
// An archive, see [codec.Units], is imported unit by unit. Each unit is visible at once
// and stays when the import is interrupted or a later unit cannot be read. The same call
// then continues after the finished units, under the same number.
func (v *Vault) Import(ctx context.Context, c memory.Caller, r codec.Reader, o ImportOptions) (ImportReport, error) {
	const op = "import"
	report := ImportReport{Format: o.Format, Name: o.Name, DryRun: o.DryRun}
	if err := v.mayWrite(op, c); err != nil {
		return report, err
	}
	if err := v.mayOwn(op, c); err != nil {
		return report, err
	}
	m := &ImportRun{Vault: v, Caller: c, Options: o, Now: Instant(v.now()), seen: map[mark]bool{}, Term: lease}
	m.Report = report
	m.units, _ = r.(codec.Units)
	if err := m.begin(ctx); err != nil {
		return report, v.refusal(c, op, "", err)
	}
	if m.Report.Known {
		return m.Report, nil
	}
	if _, err := v.Tidy(ctx, c.Owner); err != nil {
		return report, err
	}
	err := m.run(ctx, r)
	switch {
	case err == nil:
		m.Report.Losses = append(m.Report.Losses, r.Losses()...)
		return m.Report, nil
	case m.units != nil:
		return m.Report, errors.Join(m.explained(v.refusal(c, op, "", err)), m.rest(context.WithoutCancel(ctx)))
	case errors.Is(err, errMeanwhile):
		report.Known = true
		return report, m.Discard(context.WithoutCancel(ctx))
	}
	return report, errors.Join(v.refusal(c, op, "", err), m.Discard(context.WithoutCancel(ctx)))
}

// ImportRun is one import in progress.
type ImportRun struct {
	Vault   *Vault
	Caller  memory.Caller
	Options ImportOptions
	Now     time.Time
	units   codec.Units   // the document, if it is an archive
	from    int           // units that were done at the start
	seen    map[mark]bool // dry run: the document's earlier records
	Term    time.Duration // how long it counts as running while it is silent
	ImportProgress
}

// ImportProgress is the part that a transaction changes, so that a repeated or failed
// transaction can start from the earlier state.
type ImportProgress struct {
	Report     ImportReport
	Number     int64         // of the import, once anything is stored
	done       int           // of an archive: units that are done
	finished   bool          // another process has finished it
	out        []passing     // records left out that the report does not count yet
	chained    []memory.ID   // new records that supersede others
	Awaited    []memory.ID   // new records whose successors were here before
	Additions  []addition    // what the document adds to records that are here
	allowed    []string      // names to remove from the deny list
	displacing []Prepared    // new records whose ids belong to records of other owners
	Named      []ForeignName // the foreign names of the new records
	First      int64         // document numbers of the new records: the least
	Last       int64         // and the greatest
}

// begin looks for an earlier import of this very document, or of some of its units.
func (m *ImportRun) begin(ctx context.Context) error {
	return m.Vault.store.View(ctx, m.Caller.Owner, func(r store.Reader) error {
		i, err := m.earlier(r)
		if err != nil {
			return err
		}
		m.Report.Known = i.State == store.Published
		if i.State == store.Partial && m.units != nil {
			m.Number, m.from, m.done, m.Report.Before, m.Report.Number = i.Number, i.Units, i.Units, i.Units, i.Number
			return takenBack(i)
		}
		if i.State == store.Partial && i.Lease.IsZero() { // a document that is being undone
			return takenBack(i)
		}
		return nil
	})
}

// earlier returns the finished import of this very document, or the unfinished import of
// the archive. An import that restores reads a finished document again.
func (m *ImportRun) earlier(r store.Reader) (store.Import, error) {
	if m.Options.Digest == "" {
		return store.Import{}, nil
	}
	var found store.Import
	imports, err := r.Imports()
	for _, i := range imports {
		ended := i.State == store.Published && !m.Options.Restore
		if i.Digest == m.Options.Digest && (ended || i.State == store.Partial && found.Number == 0) {
			found = i
		}
	}
	return found, err
}

// run reads, prepares and stores batch by batch; the last one of a document publishes.
func (m *ImportRun) run(ctx context.Context, r codec.Reader) error {
	b := m.read(ctx, r)
	defer b.stop()
	for {
		next, err := b.next(ctx)
		if err != nil && (m.units == nil || next.unit <= m.done || ctx.Err() != nil) {
			return err
		}
		before := m.ImportProgress
		if err := m.take(ctx, next); err != nil {
			m.ImportProgress = before
			return err
		}
		m.settle(next)
		if err != nil || next.last || m.finished {
			return err
		}
	}
}

// settle counts the outcome of a batch.
func (m *ImportRun) settle(b batch) {
	m.Report.Read += len(b.ready)
	for _, p := range m.out {
		m.Report.passed(p)
	}
	m.out = nil
	if m.Options.Progress != nil {
		m.Options.Progress(m.Report.Read)
	}
}

// take stores one batch, or in a dry run determines its outcome.
func (m *ImportRun) take(ctx context.Context, b batch) error {
	owner, before := m.Caller.Owner, m.ImportProgress
	if m.Options.DryRun {
		return m.Vault.store.View(ctx, owner, func(r store.Reader) error {
			m.ImportProgress = before
			return m.look(r, b)
		})
	}
	return m.Vault.store.Update(ctx, owner, func(w store.Writer) error {
		m.ImportProgress = before
		if m.units != nil {
			return m.keep(w, b)
		}
		return m.stage(w, b)
	})
}

// look determines the outcome of a batch without writing.
func (m *ImportRun) look(r store.Reader, b batch) error {
	denies, err := Denying(r)
	if err != nil {
		return err
	}
	for _, p := range b.ready {
		p.Imp, p.Restores, p.denies, p.place = LookingOnly, m.Options.Restore, denies, m.Options.Place
		judged, err := m.Vault.judge(r, p, m.Now)
		if err != nil {
			return err
		}
		said := markOf(p)
		switch {
		case judged.Outcome == memory.Rejected:
			m.passOver(p, judged)
		case judged.Outcome == memory.Merged || m.seen[said]:
			m.merged(judged.addition)
		default:
			m.seen[said] = true
			m.Created(p, judged)
		}
	}
	m.reached(b)
	return nil
}

// LookingOnly stands for the number of an import that is never made.
const LookingOnly = -1

// mark is a short digest of the content of a document's record.
type mark [16]byte

// markOf returns the same mark for two records of a document if the second merges into
// the first.
func markOf(p Prepared) mark {
	said := string(p.Rec.ID)
	if p.mergeKey != "" {
		a := p.asked
		said = strings.Join([]string{p.mergeKey, a.Scope.Agent, a.Scope.Session, a.Time.ValidFrom.String(), a.Time.ValidTo.String(), string(a.Lifecycle.Status)}, "\x00")
	}
	if n, ok := ForeignNameOf(p.Rec); ok && p.Rec.Kind == memory.Episodic && p.mergeKey != "" {
		said += "\x00" + p.asked.Time.Observed.String() + "\x00" + n.Space + "\x00" + n.Name
	}
	sum := sha256.Sum256([]byte(said))
	return mark(sum[:16])
}
