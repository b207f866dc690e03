package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ImportOptions name the document that is taken in.
type ImportOptions struct {
	Name     string // file or folder name, for people
	Format   string
	Digest   string     // of the whole document, so that it is known again; empty: none
	Adopt    memory.DID // unsigned records of this owner become the caller's; empty: none do
	Restore  bool       // take in again what was erased here
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
	Closed  int // of them: those whose validity the document ends
	Skipped int // records left out: forgotten here, or past their retention
	Known   bool
	DryRun  bool
	Losses  []codec.Loss
	Samples []memory.Record // the first few that are added
}

// samples is how many records a report shows.
const samples = 5

// lease is how long a stalled import is taken to be still at work.
const lease = 2 * time.Minute

// Import takes in a document: wholly or not at all. Its records are staged in
// short transactions, so that others can write meanwhile, and published in one;
// until then nothing that was here changes. Importing the same document again
// changes nothing.
func (v *Vault) Import(ctx context.Context, c memory.Caller, r codec.Reader, o ImportOptions) (ImportReport, error) {
	const op = "import"
	report := ImportReport{Format: o.Format, Name: o.Name, DryRun: o.DryRun}
	if err := v.mayWrite(op, c); err != nil {
		return report, err
	}
	if err := v.mayOwn(op, c); err != nil {
		return report, err
	}
	m := &importing{vault: v, caller: c, options: o, now: instant(v.now()), seen: map[string]bool{}, term: lease}
	m.report = report
	known, err := m.known(ctx)
	if err != nil {
		return report, v.refusal(c, op, "", err)
	}
	if known {
		report.Known = true
		return report, nil
	}
	if _, err := v.Tidy(ctx, c.Owner); err != nil {
		return report, err
	}
	if err := m.run(ctx, r); err != nil {
		return report, errors.Join(v.refusal(c, op, "", err), m.discard(context.WithoutCancel(ctx)))
	}
	m.report.Losses = append(m.report.Losses, r.Losses()...)
	return m.report, nil
}

// importing is one import under way.
type importing struct {
	vault   *Vault
	caller  memory.Caller
	options ImportOptions
	now     time.Time
	seen    map[string]bool // dry run: what the document itself said before
	term    time.Duration   // how long it is taken to be at work when nothing is heard of it
	progress
}

// progress is what a transaction changes, so that one that runs again or fails
// can start from where it was.
type progress struct {
	report    ImportReport
	number    int64       // of the import, once anything is staged
	chained   []memory.ID // staged records that supersede others
	awaited   []memory.ID // staged records whose successors were here before
	additions []addition  // what the document adds to records that are here
	named     []naming    // which things elsewhere the staged records tell of
	first     int64       // document numbers of the staged records: the least
	last      int64       // and the greatest
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
	b := m.read(ctx, r)
	defer b.stop()
	for {
		next, err := b.next(ctx)
		if err != nil {
			return err
		}
		before := m.progress
		if err := m.take(ctx, next); err != nil {
			m.progress = before
			return err
		}
		m.report.Read += len(next.ready)
		if m.options.Progress != nil {
			m.options.Progress(m.report.Read)
		}
		if next.last {
			return nil
		}
	}
}

// take stages one batch, or looks at what would become of it.
func (m *importing) take(ctx context.Context, b batch) error {
	owner, before := m.caller.Owner, m.progress
	if m.options.DryRun {
		return m.vault.store.View(ctx, owner, func(r store.Reader) error {
			m.progress = before
			return m.look(r, b)
		})
	}
	return m.vault.store.Update(ctx, owner, func(w store.Writer) error {
		m.progress = before
		return m.stage(w, b)
	})
}

var errStalled = &memory.Error{Kind: memory.Internal, Op: "import",
	Message: "the import stood still for too long and was given up: nothing of it was kept; start it again"}

// stage stores a batch out of sight. A document that fits one batch is published
// at once.
func (m *importing) stage(w store.Writer, b batch) error {
	if m.number != 0 {
		i, err := w.Import(m.number)
		if err != nil {
			return err
		}
		if i.State != store.Staging {
			return errStalled
		}
	}
	for _, p := range b.ready {
		if m.number == 0 {
			number, err := w.SetImport(m.entry(store.Staging))
			if err != nil {
				return err
			}
			m.number = number
		}
		p.imp = m.number
		if err := m.admit(w, p); err != nil {
			return err
		}
	}
	if b.last {
		return m.publish(w)
	}
	return m.file(w, store.Staging)
}

func (m *importing) entry(s store.ImportState) store.Import {
	return store.Import{
		Number: m.number, Digest: m.options.Digest, Format: m.options.Format, Name: m.options.Name,
		At: m.now, State: s, Lease: m.vault.now().Add(m.term), Created: m.report.Created, Merged: m.report.Merged,
	}
}

func (m *importing) file(w store.Writer, s store.ImportState) error {
	if m.number == 0 {
		return nil
	}
	_, err := w.SetImport(m.entry(s))
	return err
}

// admit stages one record. What it adds to records that are here waits for the
// publishing.
func (m *importing) admit(w store.Writer, p prepared) error {
	p.restores = m.options.Restore
	judged, err := m.vault.judge(w, p, m.now)
	if err != nil {
		return err
	}
	switch judged.outcome {
	case memory.Rejected:
		m.skip(p, judged.why)
		return nil
	case memory.Merged:
		m.merged(judged.addition)
		if !judged.addition.empty() {
			m.additions = append(m.additions, judged.addition)
		}
		return nil
	}
	if p, err = m.vault.supersedeNamed(w, p); err != nil {
		return err
	}
	number, err := m.vault.insert(w, p, true)
	if err != nil {
		return err
	}
	if p.restores {
		if err := m.vault.allow(w, m.caller.Owner, string(p.rec.ID)); err != nil {
			return err
		}
	}
	if m.first == 0 {
		m.first = number
	}
	m.last = number
	m.created(p)
	if n, ok := named(p.rec); ok {
		m.named = append(m.named, n)
	}
	users, err := w.Relating(string(p.rec.ID))
	if len(users) > 0 {
		m.awaited = append(m.awaited, p.rec.ID)
	}
	return err
}

func (m *importing) created(p prepared) {
	m.report.Created++
	if len(m.report.Samples) < samples {
		m.report.Samples = append(m.report.Samples, p.rec)
	}
	if len(p.rec.Supersedes) > 0 {
		m.chained = append(m.chained, p.rec.ID)
	}
}

func (m *importing) merged(a addition) {
	m.report.Merged++
	if !a.closedAt.IsZero() || len(a.closedBy) > 0 {
		m.report.Closed++
	}
}

func (m *importing) skip(p prepared, why string) {
	m.report.Skipped++
	m.report.Losses = append(m.report.Losses, codec.Loss{ID: p.rec.ID, Reason: "left out: " + why})
}

// publish makes the staged records visible, applies what waited for that and
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
	for _, a := range m.additions {
		if _, err := m.vault.apply(w, a, m.now); err != nil {
			return err
		}
	}
	for _, n := range m.named {
		if err := w.SetAlias(n.space, n.name, n.id); err != nil {
			return err
		}
	}
	m.report.Number = m.number
	if m.report.Created > 0 {
		change := store.Change{At: instant(m.vault.now()), Type: store.Imported, Import: m.number, First: m.first, Last: m.last}
		if _, err := w.Record(change); err != nil {
			return err
		}
	}
	e := audit.Entry{Act: audit.Import, Import: m.number, Format: m.options.Format, Count: m.report.Created}
	if err := m.vault.note(w, m.caller, e); err != nil {
		return err
	}
	return m.file(w, store.Published)
}

// look says what would become of a batch, without writing.
func (m *importing) look(r store.Reader, b batch) error {
	for _, p := range b.ready {
		p.imp, p.restores = lookingOnly, m.options.Restore
		judged, err := m.vault.judge(r, p, m.now)
		if err != nil {
			return err
		}
		mark := p.mergeKey
		if mark == "" {
			mark = string(p.rec.ID)
		}
		switch {
		case judged.outcome == memory.Rejected:
			m.skip(p, judged.why)
		case judged.outcome == memory.Merged || m.seen[mark]:
			m.merged(judged.addition)
		default:
			m.seen[mark] = true
			m.created(p)
		}
	}
	return nil
}

// lookingOnly stands for the number of an import that is never made.
const lookingOnly = -1

// discard removes what a failed import has staged.
func (m *importing) discard(ctx context.Context) error {
	if m.number == 0 {
		return nil
	}
	_, err := m.vault.takeBack(ctx, m.vault.lessen, m.caller.Owner, m.number, func(i store.Import) bool { return i.State == store.Staging })
	return m.vault.refusal(m.caller, "import", "", err)
}
