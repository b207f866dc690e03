package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// An archive is imported unit by unit. Its import entry is the journal: the transaction
// that stores units also counts them as done. A later import of the same archive
// continues from there. Of two imports at once, each unit belongs to the first to store
// it.

// unitsLease is how long the import of an archive counts as running while it is silent.
// It affects only what is reported.
const unitsLease = 10 * time.Second

// keep stores the units of a batch, wholly and visible at once.
func (m *ImportRun) keep(w store.Writer, b batch) error {
	i, err := m.journal(w, b)
	if err != nil || m.finished || i.Number == 0 {
		return err
	}
	m.chained, m.Awaited, m.Additions, m.Named, m.allowed, m.First, m.Last = nil, nil, nil, nil, nil, 0, 0
	created, merged := m.Report.Created, m.Report.Merged
	if err := m.admitAll(w, b.behind(i.Units), false); err != nil {
		return err
	}
	if err := m.AdmitHeld(w); err != nil {
		return err
	}
	if m.First != 0 || len(m.Additions) > 0 {
		if err := m.tie(w); err != nil {
			return err
		}
	}
	i.Created += m.Report.Created - created
	i.Merged += m.Report.Merged - merged
	i.Units = max(i.Units, b.unit)
	i.Lease = m.Vault.now().Add(unitsLease)
	i.Residue = placed(m.Options.Place)
	m.reached(b)
	if b.last {
		i.State, i.Lease = store.Published, time.Time{}
		if err := m.noted(w, i.Created); err != nil {
			return err
		}
	}
	_, err = w.SetImport(i)
	return err
}

// reached counts the units of a batch as done.
func (m *ImportRun) reached(b batch) {
	if m.units != nil && b.unit > m.done {
		m.Report.Units += b.unit - m.done
		m.done = b.unit
	}
}

// journal returns the import entry of the archive with its progress, and makes one if
// needed. An entry without a number: there is nothing to do.
func (m *ImportRun) journal(w store.Writer, b batch) (store.Import, error) {
	i, err := m.earlier(w)
	if err == nil && i.Number == 0 && m.Number != 0 {
		i, err = w.Import(m.Number)
	}
	switch {
	case err != nil || i.Number == 0 && b.unit == 0:
		return i, err
	case i.Number == 0:
		i = m.Entry(store.Partial)
		i.Number, err = w.SetImport(i)
	case i.State == store.Published:
		m.finished, m.Report.Known = true, m.Report.Units == 0
	default:
		err = takenBack(i)
	}
	m.Number, m.Report.Number = i.Number, i.Number
	if others := i.Units - m.done; others > 0 {
		m.done, m.Report.Before = i.Units, m.Report.Before+others
	}
	return i, err
}

// takenBack refuses to continue an import that was undone, or is being undone.
func takenBack(i store.Import) error {
	if i.State == store.Partial && !i.Lease.IsZero() {
		return nil
	}
	return &memory.Error{Kind: memory.Unsupported, Op: "import",
		Message: fmt.Sprintf("import %d of it is being taken back, or was: import --undo %[1]d completes that, and then it can be imported anew", i.Number)}
}

// explained adds to a refusal of an archive how much was imported and how to continue.
func (m *ImportRun) explained(err error) error {
	refused, ok := errors.AsType[*memory.Error](err)
	if !ok || m.Options.DryRun || m.Number == 0 || refused.Kind != memory.InvalidRecord {
		return err
	}
	told := *refused
	told.Message = fmt.Sprintf("%s; the %d conversations before it were imported and stay: mend the document and import it again, "+
		"what is here is known by then, or take them back with import --undo %d", cmp.Or(told.Message, told.Error()), m.done, m.Number)
	return &told
}

// rest notes that nobody works on the archive any more.
func (m *ImportRun) rest(ctx context.Context) error {
	if m.Number == 0 || m.Options.DryRun {
		return nil
	}
	return m.Vault.store.Update(ctx, m.Caller.Owner, func(w store.Writer) error {
		i, err := w.Import(m.Number)
		if err != nil || i.State != store.Partial || i.Lease.IsZero() {
			return NotFoundIsNone(err)
		}
		i.Lease = m.Vault.now()
		_, err = w.SetImport(i)
		return err
	})
}

// Link closes the records that published ones supersede, and published ones whose
// successors were here first. It files each with its belief, whatever the order in the
// document.
func (m *ImportRun) Link(w store.Writer) error {
	c := chains{rows: w, prior: make(map[memory.ID]memory.ID, len(m.chained)), roots: map[memory.ID]memory.ID{}}
	for _, id := range m.chained {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		rec, err := m.Vault.record(w, r)
		if err != nil {
			return err
		}
		prior, _, err := priorOf(rec, w.Row)
		if err != nil {
			return err
		}
		if prior != "" {
			c.prior[id] = prior
		}
		if err := m.Vault.closePriors(w, rec); err != nil {
			return err
		}
	}
	for _, id := range m.chained {
		if err := c.file(w, id); err != nil {
			return err
		}
	}
	for _, id := range m.Awaited {
		if err := m.Vault.closeBySuccessors(w, id); err != nil {
			return err
		}
	}
	return nil
}

// chains finds the first record of each chain of successors.
type chains struct {
	rows  store.Reader
	prior map[memory.ID]memory.ID // new record -> the first it supersedes that is here
	roots map[memory.ID]memory.ID // found so far
}

// file gives a record the lineage of its chain.
func (c chains) file(w store.Writer, id memory.ID) error {
	root, err := c.root(id)
	if err != nil {
		return err
	}
	r, err := w.Row(id)
	if err != nil || r.Columns.Lineage == root {
		return err
	}
	return refile(w, r, root)
}

// root walks back from a record to the oldest one here. A circular chain begins where
// the walk closed the circle.
func (c chains) root(id memory.ID) (memory.ID, error) {
	var walked []memory.ID
	on := map[memory.ID]bool{}
	root := id
	for at := id; ; at = c.prior[at] {
		if known, ok := c.roots[at]; ok {
			root = known
			break
		}
		if on[at] {
			root = at
			break
		}
		if _, ok := c.prior[at]; !ok {
			r, err := c.rows.Row(at)
			if err == nil {
				root = r.Columns.Lineage
			} else if !errors.Is(err, store.ErrNotFound) {
				return "", err
			}
			break
		}
		on[at], root = true, at
		walked = append(walked, at)
	}
	for _, w := range walked {
		c.roots[w] = root
	}
	return root, nil
}
