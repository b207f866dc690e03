package engram

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// recordBuilder makes the records of one document.
type recordBuilder struct {
	Mapper
	doc     Document
	records []memory.Record
	losses  []codec.Loss
	places  map[string]int              // of entries out of the order of time
	emit    func([]memory.Record) error // receives the records of each entry; nil: records keeps all
	consent *memory.Consent             // from the records that an edited belief carries
}

// records: see [Mapper.Records].
func (m Mapper) records(d Document) ([]memory.Record, []codec.Loss, error) {
	in := &recordBuilder{Mapper: m, doc: d}
	in.findPlaces()
	err := in.build()
	return in.records, in.losses, err
}

// build makes the records of the whole document.
func (in *recordBuilder) build() error {
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
		if err := in.flush(); err != nil {
			return err
		}
	}
	in.reportDangling(seen)
	for _, k := range in.doc.Constraints {
		if err := in.constraint(k); err != nil {
			return err
		}
	}
	return in.flush()
}

// flush passes the finished records to emit, if it is set.
func (in *recordBuilder) flush() error {
	if in.emit == nil {
		return nil
	}
	made := in.records
	in.records = nil
	return in.emit(made)
}

// constraint makes the record of a constraint, or restores the one that it carries.
func (in *recordBuilder) constraint(k Constraint) error {
	if was, has, ok := in.carriedRecords(k.Value); has && ok && len(was) == 1 {
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
	r, err := in.Forms.Author(in.imported(r, ""))
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

func (in *recordBuilder) lose(pointer, reason string) {
	in.losses = append(in.losses, codec.Loss{Pointer: pointer, Reason: reason})
}

// reportDangling reports history of beliefs that the document does not have.
func (in *recordBuilder) reportDangling(seen map[string]bool) {
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

// findPlaces records the places of entries, unless all are in the order in which the mapper
// writes them.
func (in *recordBuilder) findPlaces() {
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

// identity makes the record of the document's identity, if it has one.
func (in *recordBuilder) identity() error {
	i := in.doc.Identity
	if i.DisplayName == "" && i.Timezone == "" && !isObject(i.Value) {
		return nil
	}
	if was, ok := in.restoreIdentity(i); ok {
		in.records = append(in.records, was...)
		return nil
	}
	if i.LastUpdated.IsZero() && i.CreatedAt.IsZero() {
		i.LastUpdated = in.issued()
	}
	r := in.imported(in.identityDraft(i), "")
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

// issued returns when the document was issued, as well as can be known.
func (in *recordBuilder) issued() time.Time {
	if !in.doc.IssuedAt.IsZero() {
		return in.doc.IssuedAt
	}
	return in.now()
}

// imported sets the source of a record: the issuer asserted it, this store imported it.
func (in *recordBuilder) imported(r memory.Record, evidence string) memory.Record {
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

// userOf returns a document's subject as records name it.
func userOf(s Subject) string {
	if s.ID == "" || strings.Contains(s.ID, ":") {
		return s.ID
	}
	return "urn:uuid:" + s.ID
}

// addDocument adds what the residue of the last version says about the document.
func (in *recordBuilder) addDocument(o *object) {
	if in.doc.Issuer != (Issuer{}) {
		o.add(residueIssuer, in.doc.Issuer.Wire())
	}
	if in.doc.Scope != "" && in.doc.Scope != Full {
		o.add(residueScope, canon.String(string(in.doc.Scope)))
	}
}

// placesOf returns the places of entries for a residue; undefined: none.
func (in *recordBuilder) placesOf(ids ...string) canon.Value {
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
