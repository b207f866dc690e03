package bundle

import (
	"encoding/base64"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// settleAll judges chunks and stages those that are new.
func (m *bundleImport) settleAll(r store.Reader, w store.Writer, chunks []incoming) (err error) {
	if m.denies.writing, err = vault.Denying(r); err != nil {
		return err
	}
	for i := range chunks {
		if err := m.settle(r, w, &chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *bundleImport) settle(r store.Reader, w store.Writer, p *incoming) error {
	if p.taken.PartOf != "" {
		m.parts[p.chunk.ID] = p.taken.PartOf
		return nil
	}
	f, err := m.find(r, p.chunk, p.taken.Record.ID)
	if err != nil {
		return err
	}
	c := p.taken.Chunk
	c.Embedding = p.taken.Embedding
	have, rec, err := m.have(r, f, m.denies.writing, p.chunk, p.taken.Record.ID)
	if err != nil {
		return err
	}
	if have.part && isLong(c) {
		have = m.known(rec, f.part, c)
	}
	s, err := m.sentence(r, have, rec, c)
	if err != nil {
		return err
	}
	if s.fate == inserted && !s.revive && m.kernel.OwnersGate(m.Caller.Owner, m.Now).HasExpired(p.taken.Record) {
		s = sentence{fate: withheld, code: aimem.WarnRecordsLeft}
	}
	m.fates[urnMarkOf(p.chunk.ID)] = s.fate
	m.count(s, p.chunk.ID)
	if s.fate == inserted || s.fate == updated {
		m.warnOutside(p)
	}
	if c.Embedding != "" {
		m.embedded++
	}
	switch s.fate {
	case conflicted, disputed:
		m.brain.Rejected = append(m.brain.Rejected, m.rejection(s, have, c))
	case updated:
		return m.renew(w, p, rec)
	case inserted:
		if err := m.lift(have, p); err != nil {
			return err
		}
		if s.revive {
			m.revived = append(m.revived, rec.ID)
			return nil
		}
		if p.taken.ConsentUnread {
			m.warn(aimem.Warning{Code: aimem.WarnConsentUnread, ID: p.chunk.ID, Detail: "its consent cannot be read; it is not exported until you say what may be done with it"})
		}
		return m.add(w, p)
	}
	return nil
}

// warnOutside names the relations that a record loses because their targets stay with the
// former owner.
func (m *bundleImport) warnOutside(p *incoming) {
	for _, rel := range p.taken.Outside {
		m.warn(aimem.Warning{Code: aimem.WarnEdgeSkipped, ID: p.chunk.ID,
			Detail: "its relation " + rel.Type + " leads to " + rel.Target + ", a record of the former owner that is not in the bundle; the relation is left out"})
	}
}

// count counts one chunk, and adds its warning.
func (m *bundleImport) count(s sentence, id aimem.URN) {
	switch s.fate {
	case inserted:
		m.brain.Inserted++
	case updated:
		m.brain.Updated++
	case skipped, denied, withheld:
		m.brain.Skipped++
		if s.code != "" {
			m.warn(aimem.Warning{Code: s.code, ID: id, Detail: skippedDetail(s.code)})
		}
	}
}

// skippedDetail says in words why a chunk is skipped.
func skippedDetail(code aimem.Code) string {
	switch code {
	case aimem.DeletedByUser:
		return "it was deleted here; import with restore to take it in again"
	case aimem.WarnCreatedAtDrift:
		return "the same stands here under another created_at, which stays"
	case aimem.WarnRecordsLeft:
		return "its retention is over"
	}
	return ""
}

// rejection reports a conflict. A peer does not learn the content of a record that it
// may not see, nor whether the chunk equals that record, even where another token
// brought it.
func (m *bundleImport) rejection(s sentence, have known, c aimem.Chunk) aimem.Rejection {
	out := rejection(s, *have.chunk, c)
	if s.hidden {
		out.Stored, out.Detail = aimem.ConflictSide{}, "what stands here under this id is not for these credentials to know: if it is this very chunk, it is here already; otherwise give the chunk another id"
	}
	return out
}

// lift takes a chunk from the deny list when the import is published.
func (m *bundleImport) lift(have known, p *incoming) error {
	if !have.deleted {
		return nil
	}
	names, err := m.namesOfChunk(p.chunk, p.taken.Record.ID)
	m.lifted = append(append(m.lifted, names...), vault.ImportNames(p.taken.Record)...)
	return err
}

// add stages the record of a chunk, its names and its embedding.
func (m *bundleImport) add(w store.Writer, p *incoming) error {
	rec := p.taken.Record
	m.tell(rec)
	if w == nil {
		return nil
	}
	if p.ready == nil { // it was here when the chunk was read, and is gone
		ready, err := m.finished(rec, p.taken.Restored, vault.Document)
		if err != nil {
			return err
		}
		p.ready = &ready
	}
	if err := m.insertBrought(w, *p.ready, p); err != nil {
		return err
	}
	if err := m.alias(w, p.chunk, p.ready.Rec.ID); err != nil {
		return err
	}
	if !p.taken.Restored {
		return nil
	}
	users, err := w.Relating(string(rec.ID))
	if len(users) > 0 {
		m.Awaited = append(m.Awaited, rec.ID)
	}
	return err
}

// insertBrought stages a record and its own attachments.
func (m *bundleImport) insertBrought(w store.Writer, ready vault.Prepared, p *incoming) error {
	ready.Imp = m.Number
	number, err := m.kernel.Insert(w, ready, true)
	if err != nil {
		return err
	}
	if m.First == 0 {
		m.First = number
	}
	m.Last = number
	m.Created(ready, vault.Verdict{})
	if err := vault.BroughtIn(w, m.Caller, ready.Rec.ID); err != nil || p.taken.Embedding == "" {
		return err
	}
	floats, err := base64.StdEncoding.DecodeString(p.taken.Embedding)
	if err != nil {
		return err
	}
	x := vector{model: m.bundle.Envelope().EmbeddingModel, floats: floats}
	_, err = store.Attach(w, store.Attachment{Space: vault.VectorSpace, Key: vectorKey(ready.Rec.ID, x.model), From: ready.Rec.ID,
		Import: m.Number, Staged: true, Data: x.bytes()})
	return err
}

// alias maps the URN of a chunk, and its exported URN, to its record. A record of ours
// needs none.
func (m *importState) alias(w store.Writer, c aimem.Chunk, id memory.ID) error {
	if c.ID == m.mapper.URN(id) {
		return nil
	}
	if err := w.SetAlias(vault.AliasSpace, string(c.ID), id); err != nil {
		return err
	}
	if err := tellOrigin(w, c, id); err != nil || m.mapper.Contains(c.ID) {
		return err
	}
	return w.SetAlias(vault.AliasSpace, string(m.mapper.Alias(c.ID)), id)
}

// renew stages a new version of a chunk's record, which replaces it when the import is
// published. Visibility and consent stay.
func (m *bundleImport) renew(w store.Writer, p *incoming, prior memory.Record) error {
	if w == nil {
		return nil
	}
	next := p.taken.Record
	next.ID, next.Integrity = "", nil
	next.Scope = prior.Scope
	next.Supersedes = vault.Union(next.Supersedes, []memory.ID{prior.ID})
	if prior.Consent != nil {
		next.Consent = prior.Consent
	}
	next = m.marked(next)
	if err := vault.MayChange(m.Caller, prior, next); err != nil {
		return err
	}
	born, err := m.kernel.Authored(next)
	if err != nil {
		return err
	}
	m.tell(born)
	m.renewed[p.chunk.ID] = born.ID
	return m.insertBrought(w, vault.Prepared{Rec: born, Indexed: vault.Document(born)}, p)
}

// settleParts gives chunks that continue a text the fate of its first chunk.
func (m *bundleImport) settleParts(store.Reader, store.Writer) error {
	m.gone = nil
	rejected := map[aimem.URN]aimem.Rejection{}
	for _, out := range m.brain.Rejected {
		rejected[out.ID] = out
	}
	for part, first := range m.parts {
		f := m.fates[urnMarkOf(first)]
		m.fates[urnMarkOf(part)] = f
		m.count(sentence{fate: f}, part)
		if out, ok := rejected[first]; ok {
			out.ID = part
			m.brain.Rejected = append(m.brain.Rejected, out)
		}
	}
	return nil
}

// tell notes the names in a new record, and since when.
func (m *importState) tell(rec memory.Record) {
	for _, rel := range rec.Relations {
		name, ok := aimem.EntityName(rel)
		if !ok {
			continue
		}
		mark := urnMarkOf(name)
		if first, ok := m.told[mark]; !ok || rec.Time.Created.Before(first) {
			m.told[mark] = rec.Time.Created
		}
	}
}
