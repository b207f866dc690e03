package belief

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// beliefRecords is a belief with all its records, the present one last.
type beliefRecords struct {
	engram.BeliefHistory
	lineage  engram.Lineage
	hidden   bool            // no export contains it
	shown    string          // the id that others see, where redaction changes it
	category engram.Category // for a present version that states none
}

// current returns the present record of the belief.
func (b beliefRecords) current() memory.Record { return b.lineage.Versions[len(b.lineage.Versions)-1] }

// correction returns one of the belief's corrections, or [store.ErrNotFound].
func (b beliefRecords) correction(id string) (engram.Correction, error) {
	for _, k := range b.Corrections {
		if k.ID == id {
			return k, nil
		}
	}
	return engram.Correction{}, store.ErrNotFound
}

// waiting returns the proposals that the owner has not resolved yet.
func (b beliefRecords) waiting() []engram.Correction {
	return slices.DeleteFunc(slices.Clone(b.Corrections), func(k engram.Correction) bool { return k.Status != engram.Pending })
}

func (b beliefRecords) asCase(k engram.Correction) engram.Case {
	return engram.Case{Correction: k, Key: b.Key, Category: b.Category, Now: b.Text, Context: b.Contexts[k.ID]}
}

// beliefSet is the beliefs of an owner, as one transaction reads them.
type beliefSet struct {
	vault *beliefs
	rows  store.Reader
	all   *lineageSet
	tell  engram.Mapper
	now   time.Time
	index *beliefIndex
}

// beliefIndex is what a beliefSet has read, each entry once.
type beliefIndex struct {
	beliefs     []beliefRecords // in the order in which they began
	by          map[string]int
	identities  []memory.ID
	constraints map[string]memory.ID
	gone        map[string]bool // ids of which only a tombstone is left
}

func (b *beliefs) engramMapper(owner memory.DID, now time.Time) engram.Mapper {
	return engram.Mapper{Forms: ump.Forms(), Owner: owner, Now: func() time.Time { return now }}
}

func (b *beliefs) loadSet(ctx context.Context, r store.Reader, c memory.Caller, now time.Time) (beliefSet, error) {
	all, err := b.gather(ctx, r, c.Owner)
	if err != nil {
		return beliefSet{}, err
	}
	h := b.emptySet(r, c, now)
	h.all = all
	for _, l := range all.list {
		if err := h.file(l); err != nil {
			return h, err
		}
	}
	return h, eachTombstone(r, func(_ memory.ID, g tombstoneForm) { h.index.gone[g.ID] = true })
}

// emptySet returns a beliefSet into which nothing was read yet.
func (b *beliefs) emptySet(r store.Reader, c memory.Caller, now time.Time) beliefSet {
	return beliefSet{
		vault: b, rows: r, all: &lineageSet{}, tell: b.engramMapper(c.Owner, now), now: now,
		index: &beliefIndex{by: map[string]int{}, constraints: map[string]memory.ID{}, gone: map[string]bool{}},
	}
}

// file adds a lineage to the index. It leaves out a lineage whose present record is
// damaged; doctor names that. It also leaves out a lineage that claims the id of an
// earlier one.
func (h beliefSet) file(l *lineage) error {
	head := l.unhidden().head(moment{at: h.now})
	if head < 0 {
		return nil
	}
	rec := l.versions[head].rec
	switch l.versions[head].role() {
	case identityRole:
		h.index.identities = append(h.index.identities, rec.ID)
		return nil
	case constraintRole:
		rec, err := h.stored(rec.ID)
		if k, ok := h.tell.Constraint(rec); ok && h.index.constraints[k.ID] == "" {
			h.index.constraints[k.ID] = rec.ID
		}
		return err
	}
	b, err := h.hold(l, head)
	if _, taken := h.index.by[b.ID]; err != nil || taken {
		return err
	}
	h.name(b.ID, l)
	for _, id := range append(otherNames(b.lineage.Versions[0]), b.shown) {
		if _, taken := h.index.by[id]; id != "" && !taken {
			h.name(id, l)
		}
	}
	h.index.beliefs = append(h.index.beliefs, b)
	return nil
}

// name notes the id under which the next belief of the index is found, now and by later
// acts.
func (h beliefSet) name(id string, l *lineage) {
	h.index.by[id] = len(h.index.beliefs)
	h.vault.places.learn(h.tell.Owner, id, l.versions[0].number)
}

// otherNames returns further ids that a document may use for the belief that begins with
// first. A store without the record that began the belief names it after the next
// record; a store with that record names it after that one.
func otherNames(first memory.Record) []string {
	names := []string{engram.BeliefID(memory.Record{ID: first.ID})}
	for _, id := range first.Supersedes {
		names = append(names, engram.BeliefID(memory.Record{ID: id}))
	}
	return names
}

// hold reads the records of a belief, with the parts that others do not see.
func (h beliefSet) hold(l *lineage, head int) (beliefRecords, error) {
	b := beliefRecords{hidden: l.versions[head].hidden, category: l.category(head)}
	if l.versions[0].id != l.root {
		b.lineage.Root = l.root
	}
	for i := range l.versions {
		if ver := &l.versions[i]; i != head && !ver.damaged && !ver.rec.Time.From().After(h.now) {
			b.lineage.Versions = append(b.lineage.Versions, ver.rec)
		}
	}
	b.lineage.Versions = append(b.lineage.Versions, l.versions[head].rec)
	for _, p := range l.proposals {
		b.lineage.Proposals = append(b.lineage.Proposals, p.rec)
	}
	b, err := h.retold(b)
	if err != nil || !l.withholds() {
		return b, err
	}
	b.shown = b.ID
	return h.raw(b)
}

// withholds reports whether others see less of a lineage than the owner.
func (l *lineage) withholds() bool {
	less := func(ver version) bool { return ver.hidden || ver.redacts() }
	return slices.ContainsFunc(l.versions, less) || slices.ContainsFunc(l.proposals, less)
}

// unhidden returns a copy of a lineage in which only damaged records are hidden, as the
// owner may read it.
func (l *lineage) unhidden() *lineage {
	plain := &lineage{root: l.root, versions: slices.Clone(l.versions)}
	for i := range plain.versions {
		plain.versions[i].hidden = plain.versions[i].damaged
	}
	return plain
}

// find returns the belief with an id, deleted or not; nil: there is none.
func (h beliefSet) find(id string) *beliefRecords {
	if at, ok := h.index.by[id]; ok {
		return &h.index.beliefs[at]
	}
	return nil
}

// belief returns the belief with an id that is not deleted.
func (h beliefSet) belief(id string) (beliefRecords, error) {
	b := h.find(id)
	if b == nil || b.Status == engram.Deleted {
		return beliefRecords{}, noBelief(id)
	}
	return *b, nil
}

// raw replaces the records of a belief with the records as the store has them.
func (h beliefSet) raw(b beliefRecords) (beliefRecords, error) {
	for _, list := range []*[]memory.Record{&b.lineage.Versions, &b.lineage.Proposals} {
		*list = slices.Clone(*list)
		for i := range *list {
			rec, err := h.stored((*list)[i].ID)
			if err != nil {
				return b, err
			}
			(*list)[i] = rec
		}
	}
	return h.retold(b)
}

// stored returns a record as it stands in the store.
func (h beliefSet) stored(id memory.ID) (memory.Record, error) {
	row, err := h.rows.Row(id)
	if err != nil {
		return memory.Record{}, err
	}
	return h.vault.kernel.Record(h.rows, row)
}

// retold reads the belief again after its records have changed.
func (h beliefSet) retold(b beliefRecords) (beliefRecords, error) {
	told, err := h.tell.Belief(b.lineage)
	if statedCategory(b.current()) == "" {
		told.Category = cmp.Or(b.category, told.Category)
	}
	b.BeliefHistory = told
	return b, err
}
