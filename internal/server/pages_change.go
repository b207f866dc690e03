package server

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// Erase erases every version of a memory.
func (p ownerPages) Erase(ctx context.Context, c memory.Caller, id memory.ID) (cleared bool, err error) {
	how, err := p.Forget(ctx, c, memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: true, Chain: true})
	return how == memory.AsErased, err
}
