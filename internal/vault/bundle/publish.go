package bundle

import (
	"cmp"
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

func (m *importState) warn(w aimem.Warning) {
	if len(m.brain.Warnings) >= vault.MostWarnings {
		m.unlisted++
		return
	}
	m.brain.Warnings = append(m.brain.Warnings, w)
}

// opening warns of what the bundle as a whole shows.
func (m *importState) opening() {
	for _, w := range m.bundle.Warnings() {
		m.warn(w)
	}
	if tenant := m.bundle.Envelope().TenantID; tenant != string(m.Caller.Owner) {
		m.warn(aimem.Warning{Code: aimem.WarnTenantMismatch, Pointer: "/tenant_id", Detail: "the bundle is of another tenant; what it holds becomes the owner's here"})
	}
}

// warnings lists the warnings, and says how many more there were.
func (m *importState) warnings() []aimem.Warning {
	all := m.brain.Warnings
	if e := m.bundle.Envelope(); m.embedded > 0 {
		all = append(all, aimem.Warning{Code: aimem.WarnModel, EmbeddingModel: e.EmbeddingModel, EmbeddingDim: e.EmbeddingDim,
			Chunks: m.embedded, Action: "kept_unused"})
	}
	if m.unlisted > 0 {
		all = append(all, aimem.Warning{Code: aimem.WarnWarningsOmitted, Chunks: m.unlisted})
	}
	return all
}

// publishBrain makes the staged content visible, performs the waiting steps and notes
// the change: from here on the import has happened.
func (p *importPublisher) publishBrain(w store.Writer) error {
	if err := p.AdmitHeld(w); err != nil {
		return err
	}
	if _, err := w.Publish(p.Number); err != nil {
		return err
	}
	if err := p.Link(w); err != nil {
		return err
	}
	for _, do := range []func(store.Writer) error{p.applyAdditions, p.moveAliases, p.revive, p.grow} {
		if err := do(w); err != nil {
			return err
		}
	}
	if err := p.kernel.Allow(w, p.Caller.Owner, p.lifted...); err != nil {
		return err
	}
	if p.Report.Created > 0 {
		change := store.Change{At: vault.Instant(p.kernel.Now()), Type: store.Imported, Import: p.Number, First: p.First, Last: p.Last}
		if _, err := w.Record(change); err != nil {
			return err
		}
	}
	return p.close(w)
}

// close files the import and notes in the audit log what was imported, and how far its
// signature was checked (AIMEM 5.3).
func (p *importPublisher) close(w store.Writer) error {
	outcome, _ := p.bundle.Signature()
	e := p.bundle.Envelope()
	err := p.kernel.Note(w, p.Caller, audit.Entry{
		Act: audit.Import, Import: p.Number, Format: aimem.Name, Count: p.Report.Created,
		Producer: e.Producer, Checksum: p.bundle.Checksum(), Signature: string(cmp.Or(p.asked.Signature, outcome)),
	})
	if err != nil {
		return err
	}
	filed := p.Entry(store.Published)
	filed.Merged = p.brain.Skipped
	if p.Report.Created+p.attached+len(p.revived) > 0 {
		p.brain.Import = p.Number
		filed.Residue = e.Value.Append(nil)
	}
	_, err = w.SetImport(filed)
	return err
}

func (p *importPublisher) applyAdditions(w store.Writer) error {
	for _, a := range p.Additions {
		if _, err := p.kernel.Apply(w, a, p.Now); err != nil {
			return err
		}
	}
	for _, n := range p.ImportRun.Named {
		if err := w.SetAlias(n.Space, n.Name, n.ID); err != nil {
			return err
		}
	}
	return nil
}

// moveAliases points the URNs of updated chunks to their new versions.
func (p *importPublisher) moveAliases(w store.Writer) error {
	for urn, id := range p.renewed {
		c, err := p.bundle.Chunk(urn)
		if err == nil {
			err = p.alias(w, c, id)
		}
		if err != nil {
			return err
		}
		if _, err := w.Record(store.Change{At: vault.Instant(p.kernel.Now()), Type: store.Revised, ID: id}); err != nil {
			return err
		}
	}
	return nil
}

// revive reverts the tombstones of records.
func (p *importPublisher) revive(w store.Writer) error {
	slices.Sort(p.revived)
	for _, id := range slices.Compact(p.revived) {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		rec, err := p.kernel.Record(w, r)
		if err != nil {
			return err
		}
		r.Current = nil
		born, err := p.kernel.Record(w, r)
		if err != nil {
			return err
		}
		rec.Lifecycle.Status, rec.Body = born.Lifecycle.Status, born.Body
		if len(rec.SupersededBy) == 0 {
			rec.Time.ValidTo = born.Time.ValidTo
		}
		if err := p.kernel.Amend(w, r, rec); err != nil {
			return err
		}
		if _, err := w.Record(store.Change{At: vault.Instant(p.kernel.Now()), Type: store.Created, ID: id}); err != nil {
			return err
		}
	}
	return nil
}

// grow adds the relations of new edges to records that were here before. A full record
// stays as it is: the edge is attached to it.
func (p *importPublisher) grow(w store.Writer) error {
	slices.Sort(p.grown)
	for _, id := range slices.Compact(p.grown) {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		rec, err := p.kernel.Record(w, r)
		if err != nil {
			return err
		}
		rec.Relations, err = p.withEdges(w, rec)
		if err != nil {
			return err
		}
		err = p.kernel.Amend(w, r, rec)
		if err != nil && memory.KindOf(err) != memory.InvalidRecord {
			return err
		}
	}
	return nil
}

// withEdges returns a record's relations and those of its edges in this import, as many
// as it may have.
func (p *importPublisher) withEdges(w store.Writer, rec memory.Record) ([]memory.Relation, error) {
	all := slices.Clone(rec.Relations)
	has := map[memory.Relation]bool{}
	for _, rel := range all {
		has[rel] = true
	}
	err := vault.EachBeside(w, store.AttachmentFilter{Space: vault.EdgeSpace, From: rec.ID, Import: p.Number}, func(a store.Attachment) error {
		rel, ok := vault.RelationOf(a)
		if ok && !has[rel] && len(all) < aimem.MaxRelations {
			has[rel], all = true, append(all, rel)
		}
		return nil
	})
	return all, err
}
