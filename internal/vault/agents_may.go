package vault

import "github.com/satchel-memory/satchel/memory"

// MayKeepAgents refuses a caller who may not see what is kept of agents, or who may not
// add to it, so that nothing of a document needs to be looked at.
func (v *Vault) MayKeepAgents(c memory.Caller, writes bool) error {
	return v.mayAgents("agent", c, writes)
}
