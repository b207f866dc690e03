package belief

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// A belief is a lineage: the records of one chain of successors, oldest first. A record
// that contradicts one of them and was not authoritative on arrival is a proposal, never
// a version.

// version is one record of a lineage as it stands in the store.
type version struct {
	id     memory.ID
	number int64
	imp    int64         // the import that brought it
	rec    memory.Record // in the form that may leave: redacted
	// hidden: it must not leave, or cannot be read. No history shows its content.
	hidden bool
	// damaged: it cannot be read. open: its row says that it is in force.
	damaged, open bool
	expires       time.Time // when its retention ends; zero: never

	// unredacted is the record as the owner has it, nil where that is rec. Redaction
	// does not change what the record stands for or who may have it. It is never shown.
	unredacted *memory.Record

	foreign  bool     // another owner's, so no belief of this owner
	proposal bool     // see isProposal
	read     *version // the cached version, while the row is unchanged; nil: none
}

// lineage is a chain with the proposals for it.
type lineage struct {
	root      memory.ID
	versions  []version
	proposals []version
}

// lineageSet is the lineages of an owner, in the order in which they began.
type lineageSet struct {
	list []*lineage
	by   map[memory.ID]*lineage
	of   map[memory.ID]*lineage // by the id of a version

	proposals []version // not yet filed with the lineages they contradict

	was, is *cachedRecords // the cache before and after this read; nil: none
}

func newLineageSet() *lineageSet {
	return &lineageSet{by: map[memory.ID]*lineage{}, of: map[memory.ID]*lineage{}}
}

// gather reads an owner's records in one pass.
func (b *beliefs) gather(ctx context.Context, r store.Reader, owner memory.DID) (*lineageSet, error) {
	return b.gatherKnowing(ctx, r, owner, nil, nil)
}

// gatherKnowing is gather for readers with a cache: was is the cache before the read, is
// the cache that the read fills.
func (b *beliefs) gatherKnowing(ctx context.Context, r store.Reader, owner memory.DID, was, is *cachedRecords) (*lineageSet, error) {
	all := newLineageSet()
	all.was, all.is = was, is
	err := vault.EachPage(ctx, r, store.Filter{}, func(rows []store.Row) error { return b.fileRows(r, owner, all, rows) })
	if err != nil {
		return nil, err
	}
	all.complete()
	return all, nil
}

// fileRows adds the records of rows.
func (b *beliefs) fileRows(r store.Reader, owner memory.DID, all *lineageSet, rows []store.Row) error {
	altered, err := b.kernel.AlteredOf(r, rows)
	if err != nil {
		return err
	}
	var unknown []store.Row
	versions := make(map[int64]version) // from the cache
	for _, row := range rows {
		if ver, known := all.was.version(row); known && !altered[row.Number] {
			versions[row.Number] = ver
		} else {
			unknown = append(unknown, row)
		}
	}
	records, damage := b.kernel.CheckedAll(unknown, owner)
	for _, row := range rows {
		ver, known := versions[row.Number]
		if !known {
			ver = b.versionOf(owner, row, altered[row.Number], records[0], damage[0])
			records, damage = records[1:], damage[1:]
		}
		if ver.foreign {
			continue // not a belief of this owner
		}
		if known || all.is != nil && !ver.damaged && b.proven(ver.rec) {
			ver = all.is.add(ver)
		}
		all.file(row.Columns.Lineage, ver)
	}
	return nil
}

// complete files the proposals and orders the versions, once all rows are filed.
func (g *lineageSet) complete() {
	g.fileProposals()
	for _, l := range g.list {
		l.versions = succession(l.versions)
	}
}

// versionOf reads a row in the form that may leave (ENGRAM-3.7-20): a record that is not
// exportable is hidden, and the owner's redactions apply before anything uses the
// record. err is why the record is damaged.
func (b *beliefs) versionOf(owner memory.DID, row store.Row, altered bool, rec memory.Record, err error) version {
	ver := version{id: row.ID, number: row.Number, imp: row.Columns.Import}
	if err == nil && altered {
		err = vault.Altered(row)
	}
	if err == nil && vault.Foreign(rec, owner) && vault.MayBeHeld(rec) {
		ver.foreign = true
		return ver
	}
	if err != nil || vault.Foreign(rec, owner) {
		b.kernel.Damaged(owner, row.ID, err)
		ver.hidden, ver.damaged = true, true
		ver.open = row.Columns.Status == memory.Active && row.Columns.To.IsZero()
		return ver
	}
	ver.rec = rec
	ver.expires, _ = ump.Expiry(rec)
	if c := rec.Consent; c != nil {
		if ver.hidden = c.Exportable != nil && !*c.Exportable; len(c.Redact) > 0 && !ver.hidden {
			ver.unredacted = &rec
			ver.rec, err = ump.Redact(rec, b.kernel.Holder(owner))
			ver.hidden = err != nil
		}
	}
	ver.proposal = isProposal(ver)
	return ver
}

// redacts reports whether a record leaves without some of its content.
func (ver *version) redacts() bool {
	return ver.rec.Consent != nil && len(ver.rec.Consent.Redact) > 0
}

func (g *lineageSet) file(root memory.ID, ver version) {
	if ver.proposal {
		g.proposals = append(g.proposals, ver)
		return
	}
	if !ver.damaged && ver.rec.Lifecycle.Status == memory.Candidate {
		return // neither authoritative nor about an authoritative record
	}
	l := g.by[root]
	if l == nil {
		l = &lineage{root: root}
		g.by[root], g.list = l, append(g.list, l)
	}
	l.versions = append(l.versions, ver)
	g.of[ver.id] = l
}

// isProposal reports whether a record is or was a proposal that contradicts another
// record. A settled proposal is a tombstone that keeps the outcome.
func isProposal(ver version) bool {
	if ver.damaged || vault.Contradicted(ver.rec) == "" {
		return false
	}
	if ver.rec.Lifecycle.Status == memory.Candidate {
		return true
	}
	said, _ := codec.Residue(ver.rec, "engram")
	return said.Has("proposal")
}

// fileProposals files proposals with the lineages that they contradict. It drops a
// proposal that is hidden or contradicts a record that is not here: it would repeat that
// record's content.
func (g *lineageSet) fileProposals() {
	for _, p := range g.proposals {
		if l := g.of[vault.Contradicted(p.rec)]; l != nil && !p.hidden {
			l.proposals = append(l.proposals, p)
		}
	}
	g.proposals = nil
}

// succession orders the versions of a lineage by [memory.Succession].
func succession(list []version) []version {
	versions := make([]memory.Version, len(list))
	for i, ver := range list {
		versions[i] = memory.Version{ID: ver.id, Supersedes: ver.rec.Supersedes, From: ver.rec.Time.From(), Unreadable: ver.damaged}
	}
	ordered := make([]version, len(list))
	for i, at := range memory.Succession(versions) {
		ordered[i] = list[at]
	}
	return ordered
}
