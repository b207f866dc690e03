package aimem

import (
	"cmp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// nilTenant is the tenant of a bundle without records.
const nilTenant = "00000000-0000-0000-0000-000000000000"

// recordBrain is the bundle that a run of records makes.
type recordBrain struct {
	from       *recordWriter
	mapper     Mapper
	env        Envelope
	manifest   *manifest // the source of the envelope; nil: the envelope is new
	spool      *spool    // of chunks
	chunks     []span
	edges      []Edge
	entities   []Entity
	links      []Link
	hasCarrier bool
}

var _ Carrier = (*recordBrain)(nil)

// build makes the bundle of the written records. add adds one of them.
func (w *recordWriter) build(add func(*graphBuilder, entry) error) (*recordBrain, error) {
	s, err := newSpool(w.opt)
	if err != nil {
		return nil, err
	}
	b := &recordBrain{from: w, spool: s}
	kept, err := w.manifests()
	if err != nil {
		return b, err
	}
	b.manifest = kept.single()
	if err := b.setEnvelope(); err != nil {
		return b, err
	}
	b.assignURNs()
	g := newGraphBuilder(b, kept)
	for _, e := range w.entries {
		if !e.live {
			continue
		}
		if err := add(g, e); err != nil {
			return b, err
		}
	}
	g.finish()
	return b, nil
}

// setEnvelope sets the envelope: that of the manifest, or a new one.
func (b *recordBrain) setEnvelope() error {
	w := b.from
	b.mapper = Mapper{Forms: w.forms, Owner: w.owner, Verbatim: true}
	if b.manifest != nil {
		b.env = b.manifest.envelope
		if b.mapper.carriesRecords(b.env.Value) { // no manifest of ours has that
			b.env.Value = b.env.Value.Without(memberCarrier)
		}
	} else {
		b.env = Envelope{
			Format: FormatName, Version: Version, Producer: cmp.Or(w.opt.Producer, ProducerName(w.owner)),
			TenantID: tenantOf(w.owner), ExportedAt: FormatInstant(w.now()), Scope: Full,
		}
		if err := b.chooseModel(); err != nil {
			return err
		}
		b.env.Value = b.env.value()
	}
	b.mapper.Namespace, b.mapper.Model, b.mapper.Dim = Namespace(b.env.Producer), b.env.EmbeddingModel, b.env.EmbeddingDim
	return nil
}

// now is when the bundle is made; without a clock, when its latest record was.
func (w *recordWriter) now() time.Time {
	switch {
	case w.opt.Now != nil:
		return w.opt.Now()
	case w.latest.IsZero():
		return time.Unix(0, 0)
	}
	return w.latest
}

// tenantOf names an owner as a tenant: section 2.1 wants a UUID or a URI.
func tenantOf(owner memory.DID) string {
	switch {
	case owner == "":
		return nilTenant
	case isTenant(string(owner)):
		return string(owner)
	}
	return "urn:x-ump:" + shortHash(string(owner))
}

// chooseModel chooses the model of the first embedding in a record: a bundle has one
// model.
func (b *recordBrain) chooseModel() error {
	for _, e := range b.from.entries {
		if !e.live || e.origin == "" {
			continue
		}
		r, err := b.from.record(e)
		if err != nil {
			return err
		}
		if model, dim, ok := modelOf(r); ok {
			b.env.EmbeddingModel, b.env.EmbeddingDim = model, dim
			return nil
		}
	}
	return nil
}

// assignURNs assigns a URN to every chunk, the oldest record first: its original URN if
// this envelope allows it, otherwise one of our own.
func (b *recordBrain) assignURNs() {
	order := make([]int, 0, len(b.from.entries))
	for i, e := range b.from.entries {
		if e.live {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return b.from.entries[i].created.Compare(b.from.entries[j].created)
	})
	taken := map[URN]bool{}
	for _, i := range order {
		e := &b.from.entries[i]
		for _, name := range b.candidateURNs(*e) {
			if e.name = name; b.claim(taken, name, e.parts) {
				break
			}
		}
	}
}

// candidateURNs lists the possible URNs of a record, best first.
func (b *recordBrain) candidateURNs(e entry) []URN {
	own := []URN{b.mapper.URN(e.id), b.mapper.hashedURN(e.id)}
	switch {
	case e.origin == "":
		return own
	case namespaceOf(e.origin) == b.mapper.Namespace, b.manifest.lists(e.origin):
		return append([]URN{e.origin}, own...)
	}
	return append([]URN{b.mapper.Alias(e.origin)}, own...)
}

// claim takes a name, and those of its further parts, if all are free.
func (b *recordBrain) claim(taken map[URN]bool, name URN, parts int) bool {
	for n := 1; n <= parts; n++ {
		if taken[partURN(name, n)] {
			return false
		}
	}
	for n := 1; n <= parts; n++ {
		taken[partURN(name, n)] = true
	}
	return true
}

// addCarrier adds x_ump to the envelope, for the records that chunks cannot express.
func (b *recordBrain) addCarrier() error {
	rest, err := restOf(b)
	if err != nil {
		return err
	}
	b.hasCarrier = true
	b.env.Value = b.env.Value.With(memberCarrier, object{
		{Name: "v", Value: canon.Int(1)},
		{Name: carrierOwner, Value: canon.String(string(b.from.owner))},
		{Name: carrierRest, Value: canon.String(rest)},
	}.value())
	return nil
}

// Envelope returns the envelope.
func (b *recordBrain) Envelope() Envelope { return b.env }

// Chunks yields the chunks in the order of their records.
func (b *recordBrain) Chunks(yield func(Chunk) error) error {
	for _, at := range b.chunks {
		piece, err := b.spool.get(at)
		if err != nil {
			return err
		}
		v, err := canon.Parse(piece, anyJSON)
		if err == nil {
			err = yield(chunkFrom(v))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Edges yields the edges: those of manifests, then those that relations give.
func (b *recordBrain) Edges(yield func(Edge) error) error { return each(b.edges, yield) }

// Entities yields the entities in the same order.
func (b *recordBrain) Entities(yield func(Entity) error) error { return each(b.entities, yield) }

// Links yields the links in the same order.
func (b *recordBrain) Links(yield func(Link) error) error { return each(b.links, yield) }

func each[T any](list []T, yield func(T) error) error {
	for _, item := range list {
		if err := yield(item); err != nil {
			return err
		}
	}
	return nil
}

// Order yields the ids of all records.
func (b *recordBrain) Order(yield func(string) error) error {
	if !b.hasCarrier {
		return nil
	}
	return each(b.from.entries, func(e entry) error { return yield(string(e.id)) })
}

// Carried yields the records that are no chunks.
func (b *recordBrain) Carried(yield func(canon.Value) error) error {
	if !b.hasCarrier {
		return nil
	}
	return each(b.from.entries, func(e entry) error {
		if e.live {
			return nil
		}
		form, err := b.from.spool.get(e.at)
		if err != nil {
			return err
		}
		v, err := canon.Parse(form, anyJSON)
		if err == nil {
			err = yield(v)
		}
		return err
	})
}
