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

// A belief is a lineage: the records of one chain of successors, oldest first. What
// contradicts one of them and was not authoritative when it came is a proposal, and
// never a version.

// version is one record of a lineage as it stands in the store.
type version struct {
	id     memory.ID
	number int64
	imp    int64         // the import that brought it
	rec    memory.Record // as it may leave: redacted
	// hidden: it must not leave, or cannot be read. What it says shows in no history.
	hidden bool
	// damaged: it cannot be read. open: going by its row it is in force.
	damaged, open bool
	expires       time.Time // when its retention ends; zero: never

	// unredacted is what the record says to the owner, nil where that is rec: what it
	// stands for and who may have it does not change by what is left out. It is never
	// told.
	unredacted *memory.Record

	foreign  bool     // another owner's, which is no belief of this one's
	proposal bool     // see isProposal
	read     *version // the same in memory, which stays while the row is the same; nil: it is read each time
}

// lineage is a chain with what was proposed for it.
type lineage struct {
	root      memory.ID
	versions  []version
	proposals []version
}

// gathered are all lineages of an owner, in the order in which they began.
type gathered struct {
	list []*lineage
	by   map[memory.ID]*lineage
	of   map[memory.ID]*lineage // by the id of a version

	proposals []version // not yet filed with what they contradict

	was, is *read // what is known of rows that are as they were, and of those that are here; nil: nothing
}

// gather reads an owner's records in one pass.
func (b *beliefs) gather(ctx context.Context, r store.Reader, owner memory.DID) (*gathered, error) {
	return b.gatherKnowing(ctx, r, owner, nil, nil)
}

// gatherKnowing is gather for those who only read, and know what was there before.
func (b *beliefs) gatherKnowing(ctx context.Context, r store.Reader, owner memory.DID, was, is *read) (*gathered, error) {
	all := &gathered{by: map[memory.ID]*lineage{}, of: map[memory.ID]*lineage{}, was: was, is: is}
	err := vault.EachPage(ctx, r, store.Filter{}, func(rows []store.Row) error { return b.fileRows(r, owner, all, rows) })
	if err != nil {
		return nil, err
	}
	all.complete()
	return all, nil
}

// fileRows adds what rows say.
func (b *beliefs) fileRows(r store.Reader, owner memory.DID, all *gathered, rows []store.Row) error {
	altered, err := b.kernel.AlteredOf(r, rows)
	if err != nil {
		return err
	}
	for _, row := range rows {
		ver, known := all.was.version(row)
		if !known || altered[row.Number] {
			ver = b.versionOf(owner, row, altered[row.Number])
		}
		if ver.foreign {
			continue // no belief of this owner's
		}
		if known || all.is != nil && !ver.damaged && b.proven(ver.rec) {
			ver = all.is.add(ver)
		}
		all.file(row.Columns.Lineage, ver)
	}
	return nil
}

// complete puts what was filed together, once all of it is there.
func (g *gathered) complete() {
	g.fileProposals()
	for _, l := range g.list {
		l.versions = succession(l.versions)
	}
}

// versionOf reads a row as it may leave (ENGRAM-3.7-20): nobody gets what is not
// exportable, and what the owner redacts goes before anything is made of the record.
func (b *beliefs) versionOf(owner memory.DID, row store.Row, altered bool) version {
	ver := version{id: row.ID, number: row.Number, imp: row.Columns.Import}
	rec, err := b.kernel.Checked(row, owner)
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

// redacts reports whether a record leaves without some of what it says.
func (ver *version) redacts() bool {
	return ver.rec.Consent != nil && len(ver.rec.Consent.Redact) > 0
}

func (g *gathered) file(root memory.ID, ver version) {
	if ver.proposal {
		g.proposals = append(g.proposals, ver)
		return
	}
	if !ver.damaged && ver.rec.Lifecycle.Status == memory.Candidate {
		return // not authoritative, and about nothing that is
	}
	l := g.by[root]
	if l == nil {
		l = &lineage{root: root}
		g.by[root], g.list = l, append(g.list, l)
	}
	l.versions = append(l.versions, ver)
	g.of[ver.id] = l
}

// isProposal reports whether a record is or was a proposal that contradicts another.
// One that was settled is a tombstone by now, and says what became of it.
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

// fileProposals files proposals with the lineages that they contradict. Of what is
// not here, or hidden, none shows: it would repeat what that says.
func (g *gathered) fileProposals() {
	for _, p := range g.proposals {
		if l := g.of[vault.Contradicted(p.rec)]; l != nil && !p.hidden {
			l.proposals = append(l.proposals, p)
		}
	}
	g.proposals = nil
}

// succession puts the versions of a lineage into the order of [memory.Succession].
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
