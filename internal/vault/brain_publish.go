package vault

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// mostWarnings is how many warnings a report lists.
const mostWarnings = 1000

func (m *bringing) warn(w aimem.Warning) {
	if len(m.brain.Warnings) >= mostWarnings {
		m.unlisted++
		return
	}
	m.brain.Warnings = append(m.brain.Warnings, w)
}

// opening warns of what the bundle as a whole shows.
func (m *bringing) opening() {
	for _, w := range m.bundle.Warnings() {
		m.warn(w)
	}
	if tenant := m.bundle.Envelope().TenantID; tenant != string(m.caller.Owner) {
		m.warn(aimem.Warning{Code: aimem.WarnTenantMismatch, Pointer: "/tenant_id", Detail: "the bundle is of another tenant; what it holds becomes the owner's here"})
	}
}

// warnings lists the warnings, and says how many more there were.
func (m *bringing) warnings() []aimem.Warning {
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

// publishBrain makes what was staged visible, applies what waited for that and
// notes the change: from here on the import has happened.
func (m *bringing) publishBrain(w store.Writer) error {
	if err := m.admitHeld(w); err != nil {
		return err
	}
	if _, err := w.Publish(m.number); err != nil {
		return err
	}
	if err := m.link(w); err != nil {
		return err
	}
	for _, do := range []func(store.Writer) error{m.applyAdditions, m.moveAliases, m.revive, m.grow} {
		if err := do(w); err != nil {
			return err
		}
	}
	if err := m.vault.allow(w, m.caller.Owner, m.lifted...); err != nil {
		return err
	}
	if m.report.Created > 0 {
		change := store.Change{At: Instant(m.vault.now()), Type: store.Imported, Import: m.number, First: m.first, Last: m.last}
		if _, err := w.Record(change); err != nil {
			return err
		}
	}
	return m.close(w)
}

// close files the import and says in the audit log what came in, and how far its
// signature was looked at (AIMEM 5.3).
func (m *bringing) close(w store.Writer) error {
	outcome, _ := m.bundle.Signature()
	e := m.bundle.Envelope()
	err := m.vault.note(w, m.caller, audit.Entry{
		Act: audit.Import, Import: m.number, Format: aimem.Name, Count: m.report.Created,
		Producer: e.Producer, Checksum: m.bundle.Checksum(), Signature: string(cmp.Or(m.asked.Signature, outcome)),
	})
	if err != nil {
		return err
	}
	filed := m.entry(store.Published)
	filed.Merged = m.brain.Skipped
	if m.report.Created+m.attached+len(m.revived) > 0 {
		m.brain.Import = m.number
		filed.Residue = e.Value.Append(nil)
	}
	_, err = w.SetImport(filed)
	return err
}

func (m *bringing) applyAdditions(w store.Writer) error {
	for _, a := range m.additions {
		if _, err := m.vault.apply(w, a, m.now); err != nil {
			return err
		}
	}
	for _, n := range m.importing.named {
		if err := w.SetAlias(n.Space, n.Name, n.id); err != nil {
			return err
		}
	}
	return nil
}

// moveAliases lets the URNs of updated chunks lead to their new versions.
func (m *bringing) moveAliases(w store.Writer) error {
	for urn, id := range m.renewed {
		c, err := m.bundle.Chunk(urn)
		if err == nil {
			err = m.alias(w, c, id)
		}
		if err != nil {
			return err
		}
		if _, err := w.Record(store.Change{At: Instant(m.vault.now()), Type: store.Revised, ID: id}); err != nil {
			return err
		}
	}
	return nil
}

// revive takes back that records were forgotten.
func (m *bringing) revive(w store.Writer) error {
	slices.Sort(m.revived)
	for _, id := range slices.Compact(m.revived) {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		rec, err := m.vault.record(w, r)
		if err != nil {
			return err
		}
		r.Current = nil
		born, err := m.vault.record(w, r)
		if err != nil {
			return err
		}
		rec.Lifecycle.Status, rec.Body = born.Lifecycle.Status, born.Body
		if len(rec.SupersededBy) == 0 {
			rec.Time.ValidTo = born.Time.ValidTo
		}
		if err := m.vault.amend(w, r, rec); err != nil {
			return err
		}
		if _, err := w.Record(store.Change{At: Instant(m.vault.now()), Type: store.Created, ID: id}); err != nil {
			return err
		}
	}
	return nil
}

// grow adds the relations of new edges to records that were here before. One that
// is full says enough as it is: the edge stands beside it.
func (m *bringing) grow(w store.Writer) error {
	slices.Sort(m.grown)
	for _, id := range slices.Compact(m.grown) {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		rec, err := m.vault.record(w, r)
		if err != nil {
			return err
		}
		rec.Relations, err = m.withEdges(w, rec)
		if err != nil {
			return err
		}
		err = m.vault.amend(w, r, rec)
		if err != nil && memory.KindOf(err) != memory.InvalidRecord {
			return err
		}
	}
	return nil
}

// withEdges returns a record's relations and those of its edges that this import
// brought, as many as it may have.
func (m *bringing) withEdges(w store.Writer, rec memory.Record) ([]memory.Relation, error) {
	all := slices.Clone(rec.Relations)
	has := map[memory.Relation]bool{}
	for _, rel := range all {
		has[rel] = true
	}
	err := eachBeside(w, store.AttachmentFilter{Space: edgeSpace, From: rec.ID, Import: m.number}, func(a store.Attachment) error {
		rel, ok := relationOf(a)
		if ok && !has[rel] && len(all) < aimem.MaxRelations {
			has[rel], all = true, append(all, rel)
		}
		return nil
	})
	return all, err
}

// relationOf is the relation that an edge beside the records stands for.
func relationOf(a store.Attachment) (memory.Relation, bool) {
	parts := strings.SplitN(a.Key, "\x00", 3)
	if len(parts) != 3 {
		return memory.Relation{}, false
	}
	kind, ok := aimem.RelationType(parts[2])
	return memory.Relation{Type: kind, Target: parts[1]}, ok
}
