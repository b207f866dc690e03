package conversation

import (
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Platform is where conversations were held that a format keeps beside other things, and
// reads in its own way.
type Platform struct {
	Format   string // the format, for residue
	Name     string // what people call the assistant
	Provider string // the system that records come from
}

// Records makes the records of a conversation that has an id, as a [Format] would. What
// nothing dates is of the given time. Whoever calls holds them to the limits.
func (p Platform) Records(c Conversation, opt codec.Options, when time.Time) []memory.Record {
	m := maker{shape: Shape{Format: p.Format, Platform: p.Name, Provider: p.Provider}, opt: opt, limits: opt.Limits.Filled(), source: when}
	c.Settle()
	if len(c.Turns) == 0 {
		return nil
	}
	return m.conversation(c, Ref(c.ID))
}
