package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// manifest holds all parts of one manifest. Anybody may have written it: it skips values
// that are not entries of a bundle.
type manifest struct {
	sum      string
	envelope Envelope
	whole    bool // all parts are there, and the envelope is one
	parts    int
	of       int
	order    map[idHash]bool
	edges    []Edge
	entities []Entity
	links    []Link
}

// manifests are those of a run of records, by checksum, in their order.
type manifests []*manifest

// lists reports whether a chunk was in the bundle.
func (m *manifest) lists(id URN) bool { return m != nil && m.order[hashID(id)] }

// single returns the manifest whose envelope to restore, if it is the only one.
func (m manifests) single() *manifest {
	if len(m) != 1 || !m[0].whole || m[0].parts != m[0].of {
		return nil
	}
	return m[0]
}

// manifests collects the manifests among the records.
func (w *recordWriter) manifests() (manifests, error) {
	var all manifests
	bySum := map[string]*manifest{}
	for _, e := range w.entries {
		if !e.manifest {
			continue
		}
		r, err := w.record(e)
		if err != nil {
			return nil, err
		}
		part, _ := manifestOf(r)
		sum := r.Provenance.Source.Ref
		m := bySum[sum]
		if m == nil {
			m = &manifest{sum: sum, order: map[idHash]bool{}}
			bySum[sum], all = m, append(all, m)
		}
		if !m.add(part) {
			w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: lossManifest})
		}
	}
	return all, nil
}

// add takes one part, and reports whether all of it was good.
func (m *manifest) add(part canon.Value) bool {
	good := true
	m.parts++
	m.of = int(part.Get(manifestParts).Float())
	if n := int(part.Get(manifestPart).Float()); n != m.parts {
		m.of, good = -1, false // out of order, or twice
	}
	if part.Has(manifestEnvelope) {
		m.envelope, m.whole = envelopeFrom(unspell(part.Get(manifestEnvelope), part.Get(residueSpelled)))
		for _, name := range []string{memberEdges, memberEntities, memberLinks} {
			if !part.Has(name) {
				m.envelope.Absent = append(m.envelope.Absent, name)
			}
		}
	}
	for _, id := range part.Get(manifestOrder).Items() {
		m.order[hashID(URN(id.Text()))] = true
	}
	for _, v := range part.Get(memberEdges).Items() {
		if v = unspellItem(v); valid(edgeRecord, v) {
			m.edges = append(m.edges, edgeFrom(v))
		} else {
			good = false
		}
	}
	for _, v := range part.Get(memberEntities).Items() {
		if v = unspellItem(v); valid(entityRecord, v) {
			m.entities = append(m.entities, entityFrom(v))
		} else {
			good = false
		}
	}
	for _, v := range part.Get(memberLinks).Items() {
		if v = unspellItem(v); valid(linkRecord, v) {
			m.links = append(m.links, linkFrom(v))
		} else {
			good = false
		}
	}
	return good
}

// envelopeFrom reads an envelope, and reports whether it is one (section 2.1).
func envelopeFrom(v canon.Value) (Envelope, bool) {
	v = v.Without(memberChecksum)
	text := func(name string) string { return v.Get(name).Text() }
	e := Envelope{
		Format: text("format"), Version: text("version"), Producer: text("producer"), TenantID: text("tenant_id"),
		ExportedAt: text("exported_at"), Scope: Scope(text("scope")), Since: text("since"),
		EmbeddingModel: text("embedding_model"), Value: v,
	}
	var sized bool
	e.EmbeddingDim, sized = dimension(v.Get("embedding_dim"))
	named := isAbsent(v.Get("embedding_model")) || v.Get("embedding_model").Type() == canon.TypeString
	for _, name := range []string{memberChunks, memberEdges, memberEntities, memberLinks} {
		if v.Has(name) {
			return e, false
		}
	}
	return e, sized && named && isKept(e.ExportedAt) && (e.Format == FormatName || e.Format == LegacyFormat) &&
		e.Version == Version && IsProducer(e.Producer) && isTenant(e.TenantID) && e.hasScope()
}

// hasScope reports whether scope and since are as section 2.1 wants them.
func (e Envelope) hasScope() bool {
	switch e.Scope {
	case Full, DNAOnly:
		return true
	case Since:
		return isInstant(e.Since)
	}
	return false
}

// modelOf returns the model of the embedding in a record's residue.
func modelOf(r memory.Record) (model string, dim int, ok bool) {
	residue, _ := codec.Residue(r, residueName)
	e := residue.Get(residueEmbedding)
	model, dim = e.Get("model").Text(), int(e.Get("dim").Float())
	return model, dim, model != "" && isVector(e.Get("data").Text(), dim)
}
