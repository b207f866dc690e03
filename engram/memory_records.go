package engram

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// intake makes records of one document.
type intake struct {
	Mapper
	doc     Document
	records []memory.Record
	losses  []codec.Loss
	places  map[string]int              // of entries that stand out of the order of time
	hand    func([]memory.Record) error // takes the records of each entry; nil: records keeps all
	consent *memory.Consent             // of the records that the present belief brought and no longer says
}

// records: see [Mapper.Records].
func (m Mapper) records(d Document) ([]memory.Record, []codec.Loss, error) {
	in := &intake{Mapper: m, doc: d}
	in.findPlaces()
	err := in.take()
	return in.records, in.losses, err
}

// take makes the records of the whole document.
func (in *intake) take() error {
	if err := in.identity(); err != nil {
		return err
	}
	changes, corrections := byBelief(in.doc)
	seen := map[string]bool{}
	for i, b := range in.doc.Beliefs {
		if seen[b.ID] {
			in.lose(pointer("beliefs", i), lossTwice)
			continue
		}
		seen[b.ID] = true
		if err := in.belief(i, b, changes[b.ID], corrections[b.ID]); err != nil {
			return err
		}
		if err := in.handOver(); err != nil {
			return err
		}
	}
	in.dangling(seen)
	for _, k := range in.doc.Constraints {
		if err := in.constraint(k); err != nil {
			return err
		}
	}
	return in.handOver()
}

// handOver hands the records that are made over, if somebody takes them.
func (in *intake) handOver() error {
	if in.hand == nil {
		return nil
	}
	made := in.records
	in.records = nil
	return in.hand(made)
}

// constraint makes the record of a constraint, or takes the one that it brings.
func (in *intake) constraint(k Constraint) error {
	if was, has, ok := in.carriedIn(k.Value); has && ok && len(was) == 1 {
		if said, is := constraintIn(was[0]); is && canon.Equal(said.Wire(), k.Wire().Without(carrier)) {
			in.records = append(in.records, was[0])
			return nil
		}
	}
	r := in.constraintDraft(k)
	if r.Time.Created.IsZero() {
		at := in.issued()
		r.Time.Created, r.Time.Observed, r.Time.ValidFrom = at, at, at
	}
	r, err := in.Forms.Author(in.from(r, ""))
	in.records = append(in.records, r)
	return err
}

func byBelief(d Document) (map[string][]Change, map[string][]Correction) {
	changes, corrections := map[string][]Change{}, map[string][]Correction{}
	for _, c := range d.Evolution {
		changes[c.Belief] = append(changes[c.Belief], c)
	}
	for _, c := range d.Corrections {
		corrections[c.Belief] = append(corrections[c.Belief], c)
	}
	return changes, corrections
}

func (in *intake) lose(pointer, reason string) {
	in.losses = append(in.losses, codec.Loss{Pointer: pointer, Reason: reason})
}

// dangling reports history of beliefs that the document does not have.
func (in *intake) dangling(seen map[string]bool) {
	for i, c := range in.doc.Evolution {
		if !seen[c.Belief] {
			in.lose(pointer("evolution", i), lossDangling)
		}
	}
	for i, c := range in.doc.Corrections {
		if !seen[c.Belief] {
			in.lose(pointer("corrections", i), lossDangling)
		}
	}
}

// findPlaces notes where entries stand, unless all stand in the order in which they
// would be told.
func (in *intake) findPlaces() {
	rank := map[string]int{}
	for i, b := range in.doc.Beliefs {
		if _, ok := rank[b.ID]; !ok {
			rank[b.ID] = i
		}
	}
	in.places = map[string]int{}
	place(in.places, in.doc.Evolution, func(c Change) (string, int, time.Time) { return c.ID, rank[c.Belief], c.ChangedAt })
	place(in.places, in.doc.Corrections, func(c Correction) (string, int, time.Time) { return c.ID, rank[c.Belief], c.CorrectedAt })
}

func place[T any](places map[string]int, list []T, of func(T) (string, int, time.Time)) {
	sorted := slices.IsSortedFunc(list, func(a, b T) int {
		_, x, s := of(a)
		_, y, u := of(b)
		if c := s.Compare(u); c != 0 {
			return c
		}
		return x - y
	})
	if sorted {
		return
	}
	for i, e := range list {
		id, _, _ := of(e)
		places[id] = i
	}
}

// identity makes the record of the identity, if the document has one.
func (in *intake) identity() error {
	i := in.doc.Identity
	if i.DisplayName == "" && i.Timezone == "" && !isObject(i.Value) {
		return nil
	}
	if was, ok := in.carriedIdentity(i); ok {
		in.records = append(in.records, was...)
		return nil
	}
	if i.LastUpdated.IsZero() && i.CreatedAt.IsZero() {
		i.LastUpdated = in.issued()
	}
	r := in.from(in.identityDraft(i), "")
	residue := residueOf(r).With(residueIdentity, in.doc.Identity.Wire())
	if in.envelope {
		kept := in.kept
		if !isObject(kept) {
			kept = keptEnvelope(in.doc)
		}
		residue = residue.With(residueEnvelope, kept)
	}
	r, err := in.Forms.Author(codec.WithResidue(r, residueName, residue))
	if err != nil {
		return err
	}
	in.records = append(in.records, r)
	return nil
}

// issued is when the document was made, as well as can be known.
func (in *intake) issued() time.Time {
	if !in.doc.IssuedAt.IsZero() {
		return in.doc.IssuedAt
	}
	return in.now()
}

// from says where a record comes from: the issuer asserted it, we imported it.
func (in *intake) from(r memory.Record, evidence string) memory.Record {
	r.Scope.User = userOf(in.doc.Subject)
	issuer := in.doc.Issuer
	if r.Provenance != nil && issuer.URL != "" {
		r.Provenance.ActorKind = memory.ByImport
		r.Provenance.Source = &memory.Source{Provider: issuer.URL}
		if issuer.DID != "" {
			r.Provenance.Actor = issuer.DID
		}
	}
	if evidence != "" && r.Provenance != nil {
		r.Provenance.Evidence = []memory.Evidence{{Ref: evidenceOf(evidence)}}
	}
	return r
}

// userOf is the subject of a document as records name it.
func userOf(s Subject) string {
	if s.ID == "" || strings.Contains(s.ID, ":") {
		return s.ID
	}
	return "urn:uuid:" + s.ID
}

// about is what the residue of the last version says of the document.
func (in *intake) about(o *object) {
	if in.doc.Issuer != (Issuer{}) {
		o.add(residueIssuer, in.doc.Issuer.Wire())
	}
	if in.doc.Scope != "" && in.doc.Scope != Full {
		o.add(residueScope, canon.String(string(in.doc.Scope)))
	}
}

// placesOf is what a residue says of the places of its entries; undefined: nothing.
func (in *intake) placesOf(ids ...string) canon.Value {
	var o object
	for _, id := range ids {
		if n, ok := in.places[id]; ok && id != "" {
			o.add(id, canon.Int(int64(n)))
		}
	}
	if len(o) == 0 {
		return canon.Value{}
	}
	return o.value()
}
