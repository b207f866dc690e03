package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var errStalled = &memory.Error{Kind: memory.Internal, Op: "import",
	Message: "the import stood still for too long and was given up: nothing of it was kept; start it again"}

// errMeanwhile ends an import whose document somebody else has taken in meanwhile.
var errMeanwhile = errors.New("the document was imported meanwhile")

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
	if m.number == 0 && len(b.ready) > 0 {
		number, err := w.SetImport(m.entry(store.Staging))
		if err != nil {
			return err
		}
		m.number = number
	}
	if err := m.admitAll(w, b.ready, true); err != nil {
		return err
	}
	if b.last {
		return m.publish(w)
	}
	return m.file(w, store.Staging)
}

// admitAll stores records, staged or to be seen at once.
func (m *importing) admitAll(w store.Writer, ready []prepared, staged bool) error {
	denies, err := denying(w)
	if err != nil {
		return err
	}
	for _, p := range ready {
		p.imp, p.restores, p.denies, p.place = m.number, m.options.Restore, denies, m.options.Place
		if err := m.admit(w, p, staged); err != nil {
			return err
		}
	}
	return nil
}

func (m *importing) entry(s store.ImportState) store.Import {
	return store.Import{
		Number: m.number, Digest: m.options.Digest, Format: m.options.Format, Name: m.options.Name,
		At: m.now, State: s, Lease: m.vault.now().Add(m.term), Created: m.report.Created, Merged: m.report.Merged,
		Residue: placed(m.options.Place),
	}
}

func (m *importing) file(w store.Writer, s store.ImportState) error {
	if m.number == 0 {
		return nil
	}
	_, err := w.SetImport(m.entry(s))
	return err
}

// admit stores one record. What it adds to records that are here waits for the
// publishing.
func (m *importing) admit(w store.Writer, p prepared, staged bool) error {
	p, err := m.vault.inEdition(w, p)
	if err != nil {
		return err
	}
	judged, err := m.vault.judge(w, p, m.now)
	if err != nil {
		return err
	}
	switch judged.outcome {
	case memory.Rejected:
		m.passOver(p, judged)
		return nil
	case memory.Merged:
		m.merged(judged.addition)
		if !judged.addition.empty() {
			m.additions = append(m.additions, judged.addition)
		}
		return nil
	}
	if judged.prior != "" {
		if p, err = m.vault.supersede(p, judged.prior); err != nil {
			return err
		}
	}
	if judged.displaces && staged { // what is here stays until the publishing
		m.displacing = append(m.displacing, p)
		return nil
	}
	if judged.displaces {
		if err := w.Delete(judged.id); err != nil {
			return err
		}
	}
	number, err := m.vault.insert(w, p, staged)
	if err != nil {
		return err
	}
	m.created(p, judged)
	if err := m.restored(w, p); err != nil {
		return err
	}
	return m.tied(w, p, number)
}

// restored notes which names of a new record come off the deny list.
func (m *importing) restored(r store.Reader, p prepared) error {
	if !p.restores {
		return nil
	}
	names := append(importNames(p.rec), string(p.rec.ID))
	denied, err := m.vault.isDenied(r, m.caller.Owner, names...)
	if denied {
		m.allowed = append(m.allowed, names...)
	}
	return err
}

// admitHeld does what waited until all of the document is here: it takes ids from records
// of other owners, and names off the deny list.
func (m *importing) admitHeld(w store.Writer) error {
	displacing := m.displacing
	m.displacing = nil
	for _, p := range displacing {
		if err := m.admit(w, p, false); err != nil {
			return err
		}
	}
	return m.vault.allow(w, m.caller.Owner, m.allowed...)
}

// tied notes what has to be done about a new record once all of its batch, or of its
// document, are there.
func (m *importing) tied(w store.Writer, p prepared, number int64) error {
	if m.first == 0 {
		m.first = number
	}
	m.last = number
	if n, ok := ForeignNameOf(p.rec); ok && !Foreign(p.rec, m.caller.Owner) {
		m.named = append(m.named, n)
	}
	users, err := w.Relating(string(p.rec.ID))
	if len(users) > 0 {
		m.awaited = append(m.awaited, p.rec.ID)
	}
	return err
}

// publish makes the staged records visible, applies what waited for that and
// notes the change: from here on the import has happened.
func (m *importing) publish(w store.Writer) error {
	if m.number == 0 {
		return nil // an empty document
	}
	if i, err := m.earlier(w); err != nil || i.State == store.Published {
		return errors.Join(err, errMeanwhile)
	}
	if err := m.admitHeld(w); err != nil {
		return err
	}
	if _, err := w.Publish(m.number); err != nil {
		return err
	}
	if err := m.tie(w); err != nil {
		return err
	}
	m.report.Number = m.number
	if err := m.noted(w, m.report.Created); err != nil {
		return err
	}
	return m.file(w, store.Published)
}

// tie gives records that can be seen now their places among others.
func (m *importing) tie(w store.Writer) error {
	if err := m.link(w); err != nil {
		return err
	}
	for _, a := range m.additions {
		if _, err := m.vault.apply(w, a, m.now); err != nil {
			return err
		}
	}
	for _, n := range m.named {
		if err := n.call(w, m.options.Place); err != nil {
			return err
		}
	}
	if m.report.Created == 0 {
		return nil
	}
	change := store.Change{At: Instant(m.vault.now()), Type: store.Imported, Import: m.number, First: m.first, Last: m.last}
	_, err := w.Record(change)
	return err
}

// noted puts the import into the audit log.
func (m *importing) noted(w store.Writer, created int) error {
	return m.vault.note(w, m.caller, audit.Entry{Act: audit.Import, Import: m.number, Format: m.options.Format, Count: created})
}

// discard removes what a failed import has staged.
func (m *importing) discard(ctx context.Context) error {
	if m.number == 0 {
		return nil
	}
	_, err := m.vault.takeBack(ctx, m.vault.lessen, m.caller.Owner, m.number, func(i store.Import) bool { return i.State == store.Staging })
	return m.vault.refusal(m.caller, "import", "", err)
}
