package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Stalled ends an import that was given up because it was silent.
func Stalled() error {
	return &memory.Error{Kind: memory.Internal, Op: "import",
		Message: "the import stood still for too long and was given up: nothing of it was kept; start it again"}
}

// errMeanwhile ends an import whose document another process has imported meanwhile.
var errMeanwhile = errors.New("the document was imported meanwhile")

// stage stores a batch unpublished. It publishes a document that fits one batch at once.
func (m *ImportRun) stage(w store.Writer, b batch) error {
	if m.Number != 0 {
		i, err := w.Import(m.Number)
		if err != nil {
			return err
		}
		if i.State != store.Staging {
			return Stalled()
		}
	}
	if m.Number == 0 && len(b.ready) > 0 {
		number, err := w.SetImport(m.Entry(store.Staging))
		if err != nil {
			return err
		}
		m.Number = number
	}
	if err := m.admitAll(w, b.ready, true); err != nil {
		return err
	}
	if b.last {
		return m.publish(w)
	}
	return m.File(w, store.Staging)
}

// admitAll stores records, staged or visible at once.
func (m *ImportRun) admitAll(w store.Writer, ready []Prepared, staged bool) error {
	denies, err := Denying(w)
	if err != nil {
		return err
	}
	for _, p := range ready {
		p.Imp, p.Restores, p.denies, p.place = m.Number, m.Options.Restore, denies, m.Options.Place
		if err := m.Admit(w, p, staged); err != nil {
			return err
		}
	}
	return nil
}

// Entry returns the journal entry of this import in state s.
func (m *ImportRun) Entry(s store.ImportState) store.Import {
	return store.Import{
		Number: m.Number, Digest: m.Options.Digest, Format: m.Options.Format, Name: m.Options.Name,
		At: m.Now, State: s, Lease: m.Vault.now().Add(m.Term), Created: m.Report.Created, Merged: m.Report.Merged,
		Residue: placed(m.Options.Place),
	}
}

// File writes the journal entry, once anything is stored.
func (m *ImportRun) File(w store.Writer, s store.ImportState) error {
	if m.Number == 0 {
		return nil
	}
	_, err := w.SetImport(m.Entry(s))
	return err
}

// Admit stores one record. Its additions to records that are here wait until publishing.
func (m *ImportRun) Admit(w store.Writer, p Prepared, staged bool) error {
	p, err := m.Vault.inEdition(w, p)
	if err != nil {
		return err
	}
	judged, err := m.Vault.judge(w, p, m.Now)
	if err != nil {
		return err
	}
	switch judged.Outcome {
	case memory.Rejected:
		m.passOver(p, judged)
		return nil
	case memory.Merged:
		m.merged(judged.addition)
		if !judged.addition.empty() {
			m.Additions = append(m.Additions, judged.addition)
		}
		return nil
	}
	if judged.prior != "" {
		if p, err = m.Vault.supersede(p, judged.prior); err != nil {
			return err
		}
	}
	if judged.displaces && staged { // the record here stays until publishing
		m.displacing = append(m.displacing, p)
		return nil
	}
	if judged.displaces {
		if err := w.Delete(judged.id); err != nil {
			return err
		}
	}
	number, err := m.Vault.insert(w, p, staged)
	if err != nil {
		return err
	}
	m.Created(p, judged)
	if err := m.restored(w, p); err != nil {
		return err
	}
	return m.tied(w, p, number)
}

// restored notes the names of a new record to remove from the deny list.
func (m *ImportRun) restored(r store.Reader, p Prepared) error {
	if !p.Restores {
		return nil
	}
	names := append(ImportNames(p.Rec), string(p.Rec.ID))
	denied, err := m.Vault.isDenied(r, m.Caller.Owner, names...)
	if denied {
		m.allowed = append(m.allowed, names...)
	}
	return err
}

// AdmitHeld performs the steps that wait for the whole document: it takes ids from
// records of other owners, and names off the deny list.
func (m *ImportRun) AdmitHeld(w store.Writer) error {
	displacing := m.displacing
	m.displacing = nil
	for _, p := range displacing {
		if err := m.Admit(w, p, false); err != nil {
			return err
		}
	}
	return m.Vault.allow(w, m.Caller.Owner, m.allowed...)
}

// tied notes the follow-up steps of a new record, for when all of its batch or document
// are stored.
func (m *ImportRun) tied(w store.Writer, p Prepared, number int64) error {
	if m.First == 0 {
		m.First = number
	}
	m.Last = number
	if n, ok := ForeignNameOf(p.Rec); ok && !Foreign(p.Rec, m.Caller.Owner) {
		m.Named = append(m.Named, n)
	}
	users, err := w.Relating(string(p.Rec.ID))
	if len(users) > 0 {
		m.Awaited = append(m.Awaited, p.Rec.ID)
	}
	return err
}

// publish makes the staged records visible, performs the waiting steps and notes the
// change: from here on the import has happened.
func (m *ImportRun) publish(w store.Writer) error {
	if m.Number == 0 {
		return nil // an empty document
	}
	if i, err := m.earlier(w); err != nil || i.State == store.Published {
		return errors.Join(err, errMeanwhile)
	}
	if err := m.AdmitHeld(w); err != nil {
		return err
	}
	if _, err := w.Publish(m.Number); err != nil {
		return err
	}
	if err := m.tie(w); err != nil {
		return err
	}
	m.Report.Number = m.Number
	if err := m.noted(w, m.Report.Created); err != nil {
		return err
	}
	return m.File(w, store.Published)
}

// tie gives visible records their places among others.
func (m *ImportRun) tie(w store.Writer) error {
	if err := m.Link(w); err != nil {
		return err
	}
	for _, a := range m.Additions {
		if _, err := m.Vault.apply(w, a, m.Now); err != nil {
			return err
		}
	}
	for _, n := range m.Named {
		if err := n.call(w, m.Options.Place); err != nil {
			return err
		}
	}
	if m.Report.Created == 0 {
		return nil
	}
	change := store.Change{At: Instant(m.Vault.now()), Type: store.Imported, Import: m.Number, First: m.First, Last: m.Last}
	_, err := w.Record(change)
	return err
}

// noted writes the import to the audit log.
func (m *ImportRun) noted(w store.Writer, created int) error {
	return m.Vault.note(w, m.Caller, audit.Entry{Act: audit.Import, Import: m.Number, Format: m.Options.Format, Count: created})
}

// Discard removes the staged records of a failed import.
func (m *ImportRun) Discard(ctx context.Context) error {
	if m.Number == 0 {
		return nil
	}
	_, err := m.Vault.takeBack(ctx, m.Vault.lessen, m.Caller.Owner, m.Number, func(i store.Import) bool { return i.State == store.Staging })
	return m.Vault.refusal(m.Caller, "import", "", err)
}
