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

// ImportOptions name the document that is taken in.
type ImportOptions struct {
	Name     string // file or folder name, for people
	Format   string
	Place    string     // where the document was, if what it tells of has its names only there; empty: not known, or they hold anywhere
	Digest   string     // of the whole document, so that it is known again; empty: none
	Adopt    memory.DID // unsigned records of this owner become the caller's; empty: none do
	Restore  bool       // take in again what was erased here
	DryRun   bool       // say what would happen and change nothing
	Progress func(done int)
}

// lease is how long a stalled import is taken to be still at work.
const lease = 2 * time.Minute

// Import takes in a document: wholly or not at all. Its records are staged in
// short transactions, so that others can write meanwhile, and published in one;
// until then nothing that was here changes. Importing the same document again
// changes nothing.
//
// Of an archive, see [codec.Units], whole units are taken in, which are there at once
// and stay when the import is cut off or a later unit cannot be read. The same call
// then goes on behind them, under the same number.
func (v *Vault) Import(ctx context.Context, c memory.Caller, r codec.Reader, o ImportOptions) (ImportReport, error) {
	const op = "import"
	report := ImportReport{Format: o.Format, Name: o.Name, DryRun: o.DryRun}
	if err := v.mayWrite(op, c); err != nil {
		return report, err
	}
	if err := v.mayOwn(op, c); err != nil {
		return report, err
	}
	m := &importing{vault: v, caller: c, options: o, now: Instant(v.now()), seen: map[mark]bool{}, term: lease}
	m.report = report
	m.units, _ = r.(codec.Units)
	if err := m.begin(ctx); err != nil {
		return report, v.refusal(c, op, "", err)
	}
	if m.report.Known {
		return m.report, nil
	}
	if _, err := v.Tidy(ctx, c.Owner); err != nil {
		return report, err
	}
	err := m.run(ctx, r)
	switch {
	case err == nil:
		m.report.Losses = append(m.report.Losses, r.Losses()...)
		return m.report, nil
	case m.units != nil:
		return m.report, errors.Join(m.explained(v.refusal(c, op, "", err)), m.rest(context.WithoutCancel(ctx)))
	case errors.Is(err, errMeanwhile):
		report.Known = true
		return report, m.discard(context.WithoutCancel(ctx))
	}
	return report, errors.Join(v.refusal(c, op, "", err), m.discard(context.WithoutCancel(ctx)))
}

// importing is one import under way.
type importing struct {
	vault   *Vault
	caller  memory.Caller
	options ImportOptions
	now     time.Time
	units   codec.Units   // the document, if it is an archive
	from    int           // units that were done at the beginning
	seen    map[mark]bool // dry run: what the document itself said before
	term    time.Duration // how long it is taken to be at work when nothing is heard of it
	progress
}

// progress is what a transaction changes, so that one that runs again or fails
// can start from where it was.
type progress struct {
	report     ImportReport
	number     int64         // of the import, once anything is stored
	done       int           // of an archive: units that are done
	finished   bool          // somebody else has come to its end
	out        []passing     // records left out that the report does not count yet
	chained    []memory.ID   // new records that supersede others
	awaited    []memory.ID   // new records whose successors were here before
	additions  []addition    // what the document adds to records that are here
	allowed    []string      // names that come off the deny list
	displacing []prepared    // new records whose ids records of other owners have
	named      []ForeignName // which things elsewhere the new records tell of
	first      int64         // document numbers of the new records: the least
	last       int64         // and the greatest
}

// begin looks whether this very document has been taken in before, or some units of it.
func (m *importing) begin(ctx context.Context) error {
	return m.vault.store.View(ctx, m.caller.Owner, func(r store.Reader) error {
		i, err := m.earlier(r)
		if err != nil {
			return err
		}
		m.report.Known = i.State == store.Published
		if i.State == store.Partial && m.units != nil {
			m.number, m.from, m.done, m.report.Before, m.report.Number = i.Number, i.Units, i.Units, i.Units, i.Number
			return takenBack(i)
		}
		return nil
	})
}

// earlier returns the import of this very document that came to its end, or the archive
// that came to no end yet. One that restores reads a document anew that came to its end.
func (m *importing) earlier(r store.Reader) (store.Import, error) {
	if m.options.Digest == "" {
		return store.Import{}, nil
	}
	var found store.Import
	imports, err := r.Imports()
	for _, i := range imports {
		ended := i.State == store.Published && !m.options.Restore
		if i.Digest == m.options.Digest && (ended || i.State == store.Partial && found.Number == 0) {
			found = i
		}
	}
	return found, err
}

// run reads, prepares and stores batch by batch; the last one of a document publishes.
func (m *importing) run(ctx context.Context, r codec.Reader) error {
	b := m.read(ctx, r)
	defer b.stop()
	for {
		next, err := b.next(ctx)
		if err != nil && (m.units == nil || next.unit <= m.done || ctx.Err() != nil) {
			return err
		}
		before := m.progress
		if err := m.take(ctx, next); err != nil {
			m.progress = before
			return err
		}
		m.settle(next)
		if err != nil || next.last || m.finished {
			return err
		}
	}
}

// settle counts what became of a batch.
func (m *importing) settle(b batch) {
	m.report.Read += len(b.ready)
	for _, p := range m.out {
		m.report.passed(p)
	}
	m.out = nil
	if m.options.Progress != nil {
		m.options.Progress(m.report.Read)
	}
}

// take stores one batch, or looks at what would become of it.
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
		if m.units != nil {
			return m.keep(w, b)
		}
		return m.stage(w, b)
	})
}

// look says what would become of a batch, without writing.
func (m *importing) look(r store.Reader, b batch) error {
	denies, err := denying(r)
	if err != nil {
		return err
	}
	for _, p := range b.ready {
		p.imp, p.restores, p.denies, p.place = lookingOnly, m.options.Restore, denies, m.options.Place
		judged, err := m.vault.judge(r, p, m.now)
		if err != nil {
			return err
		}
		said := markOf(p)
		switch {
		case judged.outcome == memory.Rejected:
			m.passOver(p, judged)
		case judged.outcome == memory.Merged || m.seen[said]:
			m.merged(judged.addition)
		default:
			m.seen[said] = true
			m.created(p, judged)
		}
	}
	m.reached(b)
	return nil
}

// lookingOnly stands for the number of an import that is never made.
const lookingOnly = -1

// mark tells what a record of a document says, in little room.
type mark [16]byte

// markOf returns the same for two records of a document of which the second merges into
// the first.
func markOf(p prepared) mark {
	said := string(p.rec.ID)
	if p.mergeKey != "" {
		a := p.asked
		said = strings.Join([]string{p.mergeKey, a.Scope.Agent, a.Scope.Session, a.Time.ValidFrom.String(), a.Time.ValidTo.String(), string(a.Lifecycle.Status)}, "\x00")
	}
	if n, ok := ForeignNameOf(p.rec); ok && p.rec.Kind == memory.Episodic && p.mergeKey != "" {
		said += "\x00" + p.asked.Time.Observed.String() + "\x00" + n.Space + "\x00" + n.Name
	}
	sum := sha256.Sum256([]byte(said))
	return mark(sum[:16])
}
