package conversation

import (
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Platform is the assistant of conversations inside another format, which reads them
// itself.
type Platform struct {
	Format   string // the format, for residue
	Name     string // the assistant's name for people
	Provider string // the system that records come from
}

// Records makes the records of a conversation that has an id, as a [Format] would. when
// dates turns without a date. The caller checks the limits.
func (p Platform) Records(c Conversation, opt codec.Options, when time.Time) []memory.Record {
	m := maker{shape: Shape{Format: p.Format, Platform: p.Name, Provider: p.Provider}, opt: opt, limits: opt.Limits.Filled(), source: when}
	c.Settle()
	if len(c.Turns) == 0 {
		return nil
	}
	return m.conversation(c, Ref(c.ID))
}
