package belief

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// moment is the time at which a lineage is read.
type moment struct {
	at   time.Time // valid time: later versions are not there yet
	kept time.Time // the time against which retention is checked; zero: at
	// unborn and unburied report versions that were not stored, or not forgotten, at
	// that time; nil: as the store says.
	unborn, unburied func(*version) bool
}

// plain reports whether a lineage is read as the store has it.
func (m moment) plain() bool { return m.kept.IsZero() && m.unborn == nil && m.unburied == nil }

// has reports whether a version was there.
func (m moment) has(ver *version) bool {
	return (m.unborn == nil || !m.unborn(ver)) && (ver.damaged || !ver.rec.Time.From().After(m.at))
}

// gone reports whether a version is forgotten, swept or not.
func (m moment) gone(ver *version) bool {
	if ver.expired(m.keeping()) {
		return true
	}
	return ver.rec.Lifecycle.Status == memory.Tombstoned && (m.unburied == nil || !m.unburied(ver))
}

func (m moment) keeping() time.Time {
	if m.kept.IsZero() {
		return m.at
	}
	return m.kept
}

func (ver *version) expired(at time.Time) bool {
	return !ver.expires.IsZero() && !at.Before(ver.expires)
}

// head returns the index of the version that states the belief at a moment: the last one
// that nothing replaced, preferably one that was not forgotten. -1: there is none, or
// nobody may have it.
func (l *lineage) head(m moment) int {
	replaced := l.replaced(m)
	live, dead := -1, -1
	for i := range l.versions {
		ver := &l.versions[i]
		switch {
		case !m.has(ver):
		case ver.damaged:
			if ver.open {
				return -1 // it may be the version in force, with other content
			}
		case replaced[ver.id]:
		case m.gone(ver):
			dead = i
		default:
			live = i
		}
	}
	if live < 0 {
		live = dead
	}
	if live >= 0 && l.versions[live].hidden {
		return -1
	}
	return live
}

// replaced returns the versions that another version of the lineage had replaced by
// then. Both records must say so: when a replacement by a token's bearer is forgotten,
// the earlier version holds again.
func (l *lineage) replaced(m moment) map[memory.ID]bool {
	if len(l.versions) == 1 {
		return nil
	}
	at := make(map[memory.ID]int, len(l.versions))
	for i := range l.versions {
		at[l.versions[i].id] = i
	}
	by := map[memory.ID]bool{}
	for i := range l.versions {
		ver := &l.versions[i]
		if ver.damaged || !m.has(ver) {
			continue
		}
		for _, id := range ver.rec.Supersedes {
			if j, ok := at[id]; ok && j != i && slices.Contains(l.versions[j].rec.SupersededBy, ver.id) {
				by[id] = true
			}
		}
	}
	return by
}

// visible returns the records from which a belief is read, head last. It empties
// versions that must not be shown, and removes from later versions what they repeat of
// those.
func (l *lineage) visible(m moment, head int, history bool) engram.Lineage {
	var out engram.Lineage
	untellable := taint{}
	if first := l.versions[0]; first.id != l.root && !history {
		out.Versions = append(out.Versions, emptiedVersion(l.root, first.rec))
		untellable[l.root] = canon.Value{}
	}
	shown, withheld := map[memory.ID]bool{}, l.versions[head].redacts() // earlier versions may state what the head redacts
	for i := range l.versions {
		ver := &l.versions[i]
		if i == head || !m.has(ver) {
			continue
		}
		if ver.hidden || m.gone(ver) || ver.redacts() || withheld {
			untellable[ver.id] = canon.Value{}
			if !history {
				out.Versions = append(out.Versions, emptiedVersion(ver.id, ver.rec))
			}
			continue
		}
		shown[ver.id] = true
		out.Versions = append(out.Versions, untellable.untold(ver.rec))
	}
	last := untellable.untold(l.versions[head].rec)
	if m.gone(&l.versions[head]) {
		last.Lifecycle.Status = memory.Tombstoned
	} else if last.Lifecycle.Status == memory.Tombstoned {
		last.Lifecycle.Status = memory.Active // as it was then
	}
	shown[last.ID] = true
	out.Versions = append(out.Versions, last)
	for _, p := range l.proposals {
		if shown[vault.Contradicted(p.rec)] && m.has(&p) && !p.expired(m.keeping()) {
			out.Proposals = append(out.Proposals, p.rec)
		}
	}
	return out
}

// emptiedVersion stands for a version that is not shown. It keeps the belief's id, by
// which others know the belief.
func emptiedVersion(id memory.ID, rec memory.Record) memory.Record {
	empty := memory.Record{
		ID: id, Kind: rec.Kind, Time: rec.Time, Supersedes: rec.Supersedes, SupersededBy: rec.SupersededBy,
		Lifecycle: memory.Lifecycle{Status: memory.Tombstoned},
	}
	said, _ := codec.Residue(rec, engram.Name)
	if known := said.Get("id"); known.Type() == canon.TypeString && id == rec.ID {
		empty = codec.WithResidue(empty, engram.Name, canon.Object(
			canon.Member{Name: "v", Value: canon.Int(1)}, canon.Member{Name: "id", Value: known}))
	}
	return empty
}

// taint holds the versions that are not shown, and the later versions that repeat their
// content, each with the repeated part.
type taint map[memory.ID]canon.Value

// untold returns a version without what it repeats of earlier versions that are not
// shown.
func (t taint) untold(rec memory.Record) memory.Record {
	if len(t) == 0 {
		return rec
	}
	said, ok := codec.Residue(rec, "engram")
	if !ok || said.Type() != canon.TypeObject || !t.reaches(rec, said) {
		return rec
	}
	t[rec.ID] = said
	return codec.WithResidue(rec, "engram", said.Without("evolution").Without("corrections"))
}

func (t taint) reaches(rec memory.Record, said canon.Value) bool {
	return slices.ContainsFunc(rec.Supersedes, func(id memory.ID) bool {
		repeated, ok := t[id]
		return ok && (repeated.Type() == canon.TypeUndefined || canon.Identical(repeated, said))
	})
}
