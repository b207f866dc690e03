package engram

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The members of x_ump on a belief or an identity: the records behind the object, when the
// object does not say all of them.
//
//	{"v": 1, "records": [record, …]}, versions first, oldest first, then proposals
const carriedRecords = "records"

// carrierOf returns x_ump with the given records.
func carrierOf(records []memory.Record) (canon.Value, error) {
	items := make([]canon.Value, len(records))
	for i, r := range records {
		v, err := canon.Parse(r.Form(), anyJSON)
		if err != nil {
			return canon.Value{}, err
		}
		items[i] = v
	}
	var o object
	o.add(residueVersion, canon.Int(1))
	o.add(carriedRecords, canon.Array(items...))
	return o.value(), nil
}

// carry adds x_ump with a lineage's records to its belief, unless the belief under m.Under
// already yields them.
func (m Mapper) carry(t BeliefHistory, l Lineage) (BeliefHistory, error) {
	t.Losses = nil
	all := slices.Concat(l.Versions, l.Proposals)
	if m.isDerivable(t, all) {
		return t, nil
	}
	x, err := carrierOf(all)
	if err != nil {
		return BeliefHistory{}, err
	}
	t.Belief.Value = t.Belief.Wire().With(carrier, x)
	return t, nil
}

// carryTombstone is carry for a tombstone. It carries only records that have lost their
// content.
func (m Mapper) carryTombstone(t BeliefHistory, l Lineage) (BeliefHistory, error) {
	all := slices.Concat(l.Versions, l.Proposals)
	switch {
	case !m.Residue:
		return t, nil
	case m.isDerivable(t, all):
		t.Losses = nil
		return t, nil
	case slices.ContainsFunc(all, func(r memory.Record) bool { return !isShell(r) }):
		return t, nil
	}
	return m.carry(t, l)
}

// isShell reports whether a record has lost all its content.
func isShell(r memory.Record) bool {
	return r.Lifecycle.Status == memory.Tombstoned && strings.HasPrefix(r.Body.Text, "[erased") && r.Body.Structured == nil && len(r.Relations) == 0
}

// isDerivable reports whether a belief with its history yields these records under m.Under.
func (m Mapper) isDerivable(t BeliefHistory, records []memory.Record) bool {
	in := &recordBuilder{Mapper: m, doc: m.Under, places: t.places}
	in.doc.Memory = Collect([]BeliefHistory{t})
	return in.build() == nil && len(in.losses) == 0 && sameForms(in.records, records)
}

// sameForms reports whether two lists hold the same records, byte for byte in canonical
// form.
func sameForms(a, b []memory.Record) bool {
	return slices.EqualFunc(a, b, func(x, y memory.Record) bool {
		s, t := x.Form(), y.Form()
		if bytes.Equal(s, t) {
			return true
		}
		// Most often only the residue has its members in another order: then the rest need
		// not be parsed.
		if before, ok := beforeStructured(x); ok && bytes.HasPrefix(t, before) {
			if other, ok := beforeStructured(y); ok && len(other) == len(before) {
				s, t = x.Body.Structured, y.Body.Structured
			}
		}
		v, err := canon.Parse(s, anyJSON)
		if err != nil {
			return false
		}
		w, err := canon.Parse(t, anyJSON)
		return err == nil && canon.Equal(v, w)
	})
}

// beforeStructured returns the form of a record up to its body.structured, if that ends the
// form.
func beforeStructured(r memory.Record) ([]byte, bool) {
	form, ok := bytes.CutSuffix(r.Form(), []byte("}}"))
	if !ok || len(r.Body.Structured) == 0 {
		return nil, false
	}
	return bytes.CutSuffix(form, r.Body.Structured)
}

// carriedRecords reads the records in x_ump of an object. has reports whether there are
// any, ok whether all may come back unchanged.
func (m Mapper) carriedRecords(v canon.Value) (records []memory.Record, has, ok bool) {
	x := v.Get(carrier)
	list := x.Get(carriedRecords).Items()
	if x.Get(residueVersion).Float() != 1 || x.Get(carriedRecords).Type() != canon.TypeArray {
		return nil, false, false
	}
	for _, item := range list {
		r, err := m.Forms.Decode(item.Append(nil))
		if err != nil || !m.trusts(r) {
			return records, true, false
		}
		records = append(records, r)
	}
	return records, true, true
}

// trusts reports whether a record may come back unchanged: the owner owns it, and its
// signature holds if it has or needs one.
func (m Mapper) trusts(r memory.Record) bool {
	if r.Scope.Owner != m.Owner {
		return false
	}
	if r.Integrity == nil {
		return !m.Sealed
	}
	return (!m.Sealed || r.Integrity.Signer == m.Owner) && m.Forms.Verify(r.Form()) == nil
}

// restoreBelief returns the records that a belief carries if the belief still matches them.
func (in *recordBuilder) restoreBelief(i int, b Belief, changes []Change, corrections []Correction) ([]memory.Record, bool) {
	records, has, ok := in.carriedRecords(b.Value)
	if !has {
		return nil, false
	}
	if ok && in.matches(records, b, changes, corrections) {
		return records, true
	}
	in.lose(pointer("beliefs", i)+"/"+carrier, lossUnread)
	return nil, false
}

// consentOf returns the owner's consent policy from the records that an edited belief
// carries: an edit withdraws no consent. Unreadable records may not be exported.
func (in *recordBuilder) consentOf(b Belief) *memory.Consent {
	records, has, _ := in.carriedRecords(b.Value)
	if !has {
		return nil
	}
	list := b.Value.Get(carrier).Get(carriedRecords).Items()
	if len(records) < len(list) {
		if r, err := in.Forms.Decode(list[len(list)-1].Append(nil)); err == nil {
			records = append(records, r)
		}
	}
	if len(records) == 0 {
		no := false
		return &memory.Consent{Exportable: &no}
	}
	return records[len(records)-1].Consent
}

// matches reports whether records yield this belief with this history.
func (in *recordBuilder) matches(records []memory.Record, b Belief, changes []Change, corrections []Correction) bool {
	l := lineageOf(records)
	bare := in.Mapper
	bare.Residue = false
	t, err := bare.belief(l)
	if err != nil || !canon.Equal(t.Belief.Wire(), b.Wire().Without(carrier)) {
		return false
	}
	return sameEntries(t.Evolution, changes) && sameEntries(t.Corrections, corrections)
}

// lineageOf splits the records of one belief into versions and proposals.
func lineageOf(records []memory.Record) Lineage {
	var l Lineage
	for _, r := range records {
		if len(l.Versions) > 0 && isProposal(r) {
			l.Proposals = append(l.Proposals, r)
		} else {
			l.Versions = append(l.Versions, r)
		}
	}
	return l
}

// isProposal reports whether a record is or was a proposal of another value for a belief: a
// candidate that contradicts a record.
func isProposal(r memory.Record) bool { return isProposalWith(r, residueOf(r)) }

// isProposalWith is isProposal for a record with this residue.
func isProposalWith(r memory.Record, residue canon.Value) bool {
	if isObject(residue.Get(residueProposal)) {
		return true
	}
	return r.Lifecycle.Status == memory.Candidate && slices.ContainsFunc(r.Relations, func(rel memory.Relation) bool {
		return rel.Type == memory.Contradicts && strings.HasPrefix(rel.Target, "urn:ump:")
	})
}

// sameEntries reports whether two lists hold equal entries in any order.
func sameEntries[T interface{ Wire() canon.Value }](a, b []T) bool {
	return slices.Equal(sortedWire(a), sortedWire(b))
}

func sortedWire[T interface{ Wire() canon.Value }](list []T) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = string(e.Wire().AppendCanonical(nil))
	}
	slices.Sort(out)
	return out
}

// restoreIdentity returns the record that an identity carries. It returns no record when
// nobody had said who the person is.
func (in *recordBuilder) restoreIdentity(i Identity) ([]memory.Record, bool) {
	records, has, ok := in.carriedRecords(i.Value)
	if !has {
		return nil, false
	}
	if ok && len(records) == 0 && canon.Equal(defaultIdentity().fields(), i.Wire().Without(carrier)) {
		return nil, true
	}
	if ok && len(records) == 1 {
		if said, is := identityOf(records[0]); is && canon.Equal(said.Wire(), i.Wire().Without(carrier)) {
			return records, true
		}
	}
	in.lose("/identity/"+carrier, lossUnread)
	return nil, false
}

// defaultIdentity returns the identity of an owner who has stated none.
func defaultIdentity() Identity { return Identity{DisplayName: "Owner", Timezone: "UTC"} }

// carryIdentity adds x_ump with its record to an identity, unless the identity under
// m.Under already yields the record (see [Mapper.Residue]).
func (m Mapper) carryIdentity(i Identity, r memory.Record) (Identity, error) {
	in := &recordBuilder{Mapper: m, doc: m.Under}
	in.doc.Memory = Memory{Identity: i}
	if err := in.identity(); err == nil && sameForms(in.records, []memory.Record{r}) {
		return i, nil
	}
	x, err := carrierOf([]memory.Record{r})
	if err != nil {
		return Identity{}, err
	}
	i.Value = i.Wire().With(carrier, x)
	return i, nil
}
