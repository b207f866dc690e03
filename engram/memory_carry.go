package engram

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The members of x_ump on a belief or an identity: the records that it was told from,
// where it does not say all of them.
//
//	{"v": 1, "records": [record, …]}, versions first, oldest first, then proposals
const carriedRecords = "records"

// carrierOf returns x_ump of records.
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

// carry puts the records of a lineage into its belief, unless they follow from what it
// says under m.Under.
func (m Mapper) carry(t Told, l Lineage) (Told, error) {
	t.Losses = nil
	all := slices.Concat(l.Versions, l.Proposals)
	if m.follows(t, all) {
		return t, nil
	}
	x, err := carrierOf(all)
	if err != nil {
		return Told{}, err
	}
	t.Belief.Value = t.Belief.Wire().With(carrier, x)
	return t, nil
}

// bury is carry for a tombstone: nothing travels with it but what is empty itself.
func (m Mapper) bury(t Told, l Lineage) (Told, error) {
	all := slices.Concat(l.Versions, l.Proposals)
	switch {
	case !m.Residue:
		return t, nil
	case m.follows(t, all):
		t.Losses = nil
		return t, nil
	case slices.ContainsFunc(all, func(r memory.Record) bool { return !isShell(r) }):
		return t, nil
	}
	return m.carry(t, l)
}

// isShell reports whether nothing is left in a record of what it said.
func isShell(r memory.Record) bool {
	return r.Lifecycle.Status == memory.Tombstoned && strings.HasPrefix(r.Body.Text, "[erased") && r.Body.Structured == nil && len(r.Relations) == 0
}

// follows reports whether what was told gives these records again under m.Under.
func (m Mapper) follows(t Told, records []memory.Record) bool {
	in := &intake{Mapper: m, doc: m.Under, places: t.places}
	in.doc.Memory = Collect([]Told{t})
	return in.take() == nil && len(in.losses) == 0 && sameForms(in.records, records)
}

// sameForms reports whether two lists are of the same records, byte for byte in
// canonical form.
func sameForms(a, b []memory.Record) bool {
	return slices.EqualFunc(a, b, func(x, y memory.Record) bool {
		if bytes.Equal(x.Form(), y.Form()) {
			return true
		}
		v, err := canon.Parse(x.Form(), anyJSON)
		if err != nil {
			return false
		}
		w, err := canon.Parse(y.Form(), anyJSON)
		return err == nil && canon.Equal(v, w)
	})
}

// carriedIn reads the records in x_ump of an object, if they may come back as they
// were; has reports whether there are any.
func (m Mapper) carriedIn(v canon.Value) (records []memory.Record, has, ok bool) {
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

// trusts reports whether a record may come back as it is: it is the owner's, and its
// signature holds, if it has one or needs one.
func (m Mapper) trusts(r memory.Record) bool {
	if r.Scope.Owner != m.Owner {
		return false
	}
	if r.Integrity == nil {
		return !m.Sealed
	}
	return (!m.Sealed || r.Integrity.Signer == m.Owner) && m.Forms.Verify(r.Form()) == nil
}

// carried returns the records that a belief brings, if the belief still says what they
// do.
func (in *intake) carried(i int, b Belief, changes []Change, corrections []Correction) ([]memory.Record, bool) {
	records, has, ok := in.carriedIn(b.Value)
	if !has {
		return nil, false
	}
	if ok && in.saysSame(records, b, changes, corrections) {
		return records, true
	}
	in.lose(pointer("beliefs", i)+"/"+carrier, lossUnread)
	return nil, false
}

// consentOf is the owner's policy in the records that a belief brings, where it no
// longer says what they do: an edit takes back no consent. What cannot be read may not
// be exported.
func (in *intake) consentOf(b Belief) *memory.Consent {
	records, has, _ := in.carriedIn(b.Value)
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

// saysSame reports whether records tell this belief with this history.
func (in *intake) saysSame(records []memory.Record, b Belief, changes []Change, corrections []Correction) bool {
	l := lineageOf(records)
	bare := in.Mapper
	bare.Residue = false
	t, err := bare.belief(l)
	if err != nil || !canon.Equal(t.Belief.Wire(), b.Wire().Without(carrier)) {
		return false
	}
	return sameEntries(t.Evolution, changes) && sameEntries(t.Corrections, corrections)
}

// lineageOf parts the records of one belief into versions and proposals.
func lineageOf(records []memory.Record) Lineage {
	var l Lineage
	for _, r := range records {
		if len(l.Versions) > 0 && IsProposal(r) {
			l.Proposals = append(l.Proposals, r)
		} else {
			l.Versions = append(l.Versions, r)
		}
	}
	return l
}

// IsProposal reports whether a record is a proposal of another value for a belief, or
// was one: a candidate that contradicts something.
func IsProposal(r memory.Record) bool {
	if isObject(residueOf(r).Get(residueProposal)) {
		return true
	}
	return r.Lifecycle.Status == memory.Candidate && slices.ContainsFunc(r.Relations, func(rel memory.Relation) bool {
		return rel.Type == memory.Contradicts && strings.HasPrefix(rel.Target, "urn:ump:")
	})
}

// sameEntries reports whether two lists hold equal entries, in whatever order.
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

// carriedIdentity returns the record that an identity brings, or none where nobody had
// said who the person is.
func (in *intake) carriedIdentity(i Identity) ([]memory.Record, bool) {
	records, has, ok := in.carriedIn(i.Value)
	if !has {
		return nil, false
	}
	if ok && len(records) == 0 && canon.Equal(anybody().fields(), i.Wire().Without(carrier)) {
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

// anybody is the identity of an owner who has stated none.
func anybody() Identity { return Identity{DisplayName: "Owner", Timezone: "UTC"} }

// Carry returns an identity with its record in x_ump, unless the record follows from
// the identity under m.Under (see [Mapper.Residue]).
func (m Mapper) Carry(i Identity, r memory.Record) (Identity, error) {
	in := &intake{Mapper: m, doc: m.Under}
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
