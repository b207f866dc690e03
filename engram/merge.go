package engram

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Merge makes one memory of exports by several stores of one person (section 12.2). The
// caller verifies each export first. The order of docs does not matter, and a repeated
// export changes nothing.
//
// When several exports have a belief under one id, the latest change wins; a tombstone wins
// a tie. When stores have active beliefs about the same key, one wins: stated or corrected
// by the person before inferred, then the later change. Merge archives the loser under its
// own id and adds its value to the winner's evolution. When only confidence or ids decide,
// the loser also waits for the person as a correction. A later deletion deletes every older
// copy.
//
// The result has no envelope but scope and definition; the store that merges signs it.
// Merge modifies no document.
func Merge(docs ...Document) (Document, MergeReport, error) {
	m, err := newMerger(docs)
	if err != nil {
		return Document{}, MergeReport{}, err
	}
	m.joinBeliefs()
	m.spreadTombstones()
	m.settleConflicts()
	out := Document{Version: Version, Schema: SchemaURL, Memory: m.memory()}
	out.Scope, out.Definition = m.extent()
	return out, m.mergeReport(), nil
}

// mergeSource is the member of a merged belief that names its stores.
const mergeSource = "x_issuers"

// merger is the state of one merge.
type merger struct {
	docs    []Document // in an order that depends only on them
	beliefs map[string]*mergedBelief
	order   []string // ids of beliefs, sorted
	changes map[string]Change
	fixes   map[string]Correction
	report  MergeReport
}

// mergedBelief is a belief with all exports that have it.
type mergedBelief struct {
	Belief
	stores []string // addresses of issuers, sorted, each once
	in     []int    // documents that have it undeleted
	gone   []int    // documents that say it is deleted
	last   time.Time
	touch  bool // it differs from the export it came from
}

// newMerger sorts exports in an order that depends only on them.
func newMerger(docs []Document) (*merger, error) {
	if len(docs) == 0 {
		return nil, errors.New("merge: there is no export")
	}
	m := &merger{docs: slices.Clone(docs), beliefs: map[string]*mergedBelief{}, changes: map[string]Change{}, fixes: map[string]Correction{}}
	slices.SortStableFunc(m.docs, func(a, b Document) int {
		if order := cmp.Or(cmp.Compare(a.Issuer.URL, b.Issuer.URL), a.IssuedAt.Compare(b.IssuedAt)); order != 0 {
			return order
		}
		return cmp.Compare(spells(a), spells(b))
	})
	m.docs = slices.CompactFunc(m.docs, func(a, b Document) bool {
		return a.Issuer.URL == b.Issuer.URL && a.IssuedAt.Equal(b.IssuedAt) && spells(a) == spells(b)
	})
	subjects := map[string]string{}
	for _, d := range m.docs {
		if !strings.HasPrefix(d.Issuer.URL, "https:") {
			continue // every machine has this address
		}
		if had, ok := subjects[d.Issuer.URL]; ok && had != d.Subject.ID {
			return nil, fmt.Errorf("merge: two exports of %s are of two people", d.Issuer.URL)
		}
		subjects[d.Issuer.URL] = d.Subject.ID
	}
	return m, nil
}

// joinBeliefs joins beliefs with one id, and all history.
func (m *merger) joinBeliefs() {
	for i, d := range m.docs {
		last := lastChanges(d.Memory)
		for _, b := range d.Beliefs {
			m.join(i, d, b, last[b.ID])
		}
		for _, c := range d.Evolution {
			if had, ok := m.changes[c.ID]; !ok || spells(c) < spells(had) {
				m.changes[c.ID] = c
			}
		}
		for _, c := range d.Corrections {
			if had, ok := m.fixes[c.ID]; !ok || settledBefore(c, had) {
				m.fixes[c.ID] = c
			}
		}
	}
	for id := range m.beliefs {
		m.order = append(m.order, id)
	}
	slices.Sort(m.order)
	m.keepEarlier()
}

// join adds a belief of one document.
func (m *merger) join(i int, d Document, b Belief, last time.Time) {
	x, ok := m.beliefs[b.ID]
	if !ok {
		x = &mergedBelief{Belief: b, last: last}
		m.beliefs[b.ID] = x
	} else if !x.same(b) {
		x.touch = true
		if after(b, last, x.Belief, x.last) {
			x.Belief, x.last = b, last
		}
	}
	if b.Status == Deleted {
		x.gone = append(x.gone, i)
	} else {
		x.in = append(x.in, i)
	}
	for _, store := range storesOf(b, d) {
		if !slices.Contains(x.stores, store) {
			x.stores = append(x.stores, store)
		}
	}
	slices.Sort(x.stores)
}

// storesOf returns the stores of a belief: the issuer, or those that an earlier merge
// named.
func storesOf(b Belief, d Document) []string {
	var list []string
	for _, v := range b.Value.Get(mergeSource).Items() {
		if v.Type() == canon.TypeString {
			list = append(list, v.Text())
		}
	}
	if len(list) == 0 {
		list = []string{d.Issuer.URL}
	}
	return list
}

// after reports whether one state of a belief replaces another: the later change wins, then
// the archived state, then the spelling that sorts first.
func after(b Belief, last time.Time, was Belief, wasLast time.Time) bool {
	standing := func(s Status) int { return slices.Index([]Status{Active, Archived, Deleted}, s) }
	return cmp.Or(last.Compare(wasLast), cmp.Compare(standing(b.Status), standing(was.Status)),
		cmp.Compare(b.Confidence, was.Confidence), -cmp.Compare(spells(b), spells(was))) > 0
}

// settledBefore reports whether a correction says more than another of its id: a resolved
// one wins over one that waits.
func settledBefore(c, had Correction) bool {
	waits := func(c Correction) int {
		if c.Status == Pending {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(waits(c), waits(had)), cmp.Compare(spells(c), spells(had))) < 0
}

func spells(x interface{ Wire() canon.Value }) string {
	return string(x.Wire().AppendCanonical(nil))
}

// keepEarlier adds what another export said of a belief to its evolution.
func (m *merger) keepEarlier() {
	known := map[string][]string{} // the values in the history, by belief
	for _, c := range m.changes {
		known[c.Belief] = append(known[c.Belief], c.Old, c.New)
	}
	for i, d := range m.docs {
		for _, b := range d.Beliefs {
			x := m.beliefs[b.ID]
			told := func(value string) bool { return sameText(value, b.Text) }
			if b.Status == Deleted || x.Status == Deleted || told(x.Text) || slices.ContainsFunc(known[b.ID], told) {
				continue
			}
			known[b.ID] = append(known[b.ID], b.Text)
			m.evolve(x, b.Text, x.last, "as "+m.docs[i].Issuer.URL+" has it", b.ID)
		}
	}
}

// evolve adds to a belief's history that its value replaced another.
func (m *merger) evolve(x *mergedBelief, old string, at time.Time, context, from string) {
	c := Change{
		ID: IDFrom("engram-merge", from, x.ID, old, x.Text), Belief: x.ID, Old: old, New: x.Text,
		ChangedAt: at, Trigger: ContradictionResolution, Context: context,
	}
	m.changes[c.ID] = c
}
