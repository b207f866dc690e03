package agents

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// sessionLasts is for how long what a session remembers is there once its checkpoint has
// come: nothing runs the session here, and so nobody says when it is over.
const sessionLasts = 24 * time.Hour

// Memories returns what a checkpoint that came at a time remembers, as drafts of records,
// see [aaif.State.Memories]. Times to live count from when it came, which is when its run
// was restored here: what has lapsed since is left out and does not begin anew, and what
// lasts ends then, whenever it is confirmed (AAIF-8.1-15). What is of a session ends within a
// day, as sessions do (AAIF-4.5-6).
func Memories(s aaif.State, came time.Time, o aaif.MemoryOptions) ([]memory.Record, []codec.Loss, error) {
	s.Memory = slices.Clone(s.Memory)
	for i := range s.Memory {
		it := &s.Memory[i]
		if most := int(sessionLasts.Seconds()); it.Scope == aaif.SessionScope && (it.TTL == 0 || it.TTL > most) {
			it.TTL = most
		}
		if it.TTL > 0 && o.Now.Sub(came) >= time.Duration(it.TTL)*time.Second {
			it.TTL = -1 // it has lapsed
		}
	}
	drafts, lost, err := s.Memories(o)
	for i := range drafts {
		d := &drafts[i]
		if d.Consent == nil {
			continue
		}
		lasts, failed := memory.ParseDuration(d.Consent.Retention)
		if failed != nil {
			return nil, nil, failed
		}
		d.Time.ValidTo = lasts.After(came)
	}
	return drafts, lost, err
}
