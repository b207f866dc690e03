package agents

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// sessionLasts is how long a session's memory stays after its checkpoint has arrived.
// No session runs here, so nothing reports its end.
const sessionLasts = 24 * time.Hour

// Memories returns the memory of a checkpoint as drafts of records, see
// [aaif.State.Memories]; came is the time of its arrival. Times to live count from
// that time, when its run was restored here. Expired items are left out and do not
// begin anew. Lasting items end at their time, whenever they are confirmed
// (AAIF-8.1-15). A session's items end within a day, as sessions do (AAIF-4.5-6).
func Memories(s aaif.State, came time.Time, o aaif.MemoryOptions) ([]memory.Record, []codec.Loss, error) {
	s.Memory = slices.Clone(s.Memory)
	for i := range s.Memory {
		it := &s.Memory[i]
		if most := int(sessionLasts.Seconds()); it.Scope == aaif.SessionScope && (it.TTL == 0 || it.TTL > most) {
			it.TTL = most
		}
		if it.TTL > 0 && o.Now.Sub(came) >= time.Duration(it.TTL)*time.Second {
			it.TTL = -1 // it has expired
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
