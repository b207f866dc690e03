package vault

import (
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// takes is the mapper of what an owner takes in.
func (v *Vault) takes(owner memory.DID) aimem.Mapper {
	return aimem.Mapper{Forms: ump.Forms(), Owner: owner, Namespace: aimem.Namespace(v.producer), SignedOnly: true}
}
