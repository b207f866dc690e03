package letta

import "github.com/satchel-memory/satchel/codec"

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossBlank    = "a block without a value, nothing to remember"
	lossSettings = "what an agent is beside its memory is left out: instructions, model and settings"
	lossMember   = "a member of the whole file, which no record carries"
	lossTools    = "uses of tools, or what they gave back"
	lossRoles    = "messages of roles that are not known here"
	lossThoughts = "thoughts of the agent"
	lossEvents   = "events that nobody said"
	lossParts    = "parts of messages that are no text"
	lossSaid     = "what was said in a conversation is no core memory and is left out"
	lossWhite    = "a text of white space alone, which makes no memory when it is read"
)

// lossAside names a kind of data that is left out, and its amount.
func lossAside(what, many string) string {
	return what + " are no memories and are left out: " + many
}

// lossVariable names a variable, never its value.
func lossVariable(name string) string {
	return "the variable " + name + " may be a secret and is not taken over"
}

func declared() codec.Declared {
	return codec.Declared{
		Reading: append(codec.ReadLosses(), lossBlank, lossSettings, lossMember, lossAside("…", "…"), lossVariable("…"), "… "+lossTools, "… "+lossRoles, "… "+lossThoughts, "… "+lossEvents, "… "+lossParts),
		Writing: []string{codec.NotHeld, codec.NoPlace, lossSaid, lossWhite},
	}
}
