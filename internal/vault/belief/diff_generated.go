package belief

import (
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// generated is the instant for the next diff: when what the caller is told changed last.
// That something else changed, it does not tell. Where the caller is told nothing, it is
// that of the last diff again, but for what is so long ago that no change can be dated
// before it any more.
func (d *diff) generated(out engram.Delta) time.Time {
	at := d.since.at
	if at.After(later(d.now, d.since.head)) { // the caller's clock is ahead
		at = d.now.Add(-settling)
	}
	at = later(at, d.now.Add(-disorder).Truncate(time.Microsecond))
	for _, id := range toldOf(out) {
		at = later(at, d.moved[id])
	}
	if out.Identity != nil {
		at = later(at, d.identified)
	}
	return at.UTC()
}

// toldOf are the beliefs and constraints of which a delta says something, by their ids.
func toldOf(d engram.Delta) (ids []string) {
	for _, list := range [][]engram.Belief{d.Added, d.Updated} {
		for _, b := range list {
			ids = append(ids, b.ID)
		}
	}
	for _, list := range [][]engram.Tombstone{d.Deleted, d.DeletedConstraints} {
		for _, t := range list {
			ids = append(ids, t.ID)
		}
	}
	for _, c := range d.Corrections {
		ids = append(ids, c.Belief)
	}
	for _, c := range d.Evolution {
		ids = append(ids, c.Belief)
	}
	for _, k := range d.NewConstraints {
		ids = append(ids, k.ID)
	}
	return ids
}
