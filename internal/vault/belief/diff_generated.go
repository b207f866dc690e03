package belief

import (
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// generated returns the instant for the next diff: the latest change of anything the
// caller was told. It does not reveal that other things changed. Where the caller is
// told nothing, it repeats the last diff's instant, but moves it up to the time before
// which no new change can be dated.
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

// toldOf returns the ids of the beliefs and constraints that a delta mentions.
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
