package server

import (
	"context"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// Projects lists the projects with their other names.
func (p ownerPages) Projects(ctx context.Context, c memory.Caller) ([]pages.Project, error) {
	found, err := p.Vault.Projects(ctx, c)
	out := make([]pages.Project, len(found))
	for i, one := range found {
		out[i] = pages.Project{Name: one.Name, Memories: one.Records, Aliases: one.Aliases, Last: one.Last}
	}
	return out, err
}

// Around returns the memories that relate to a memory or an entity.
func (p ownerPages) Around(ctx context.Context, c memory.Caller, target string) ([]memory.Record, error) {
	return p.Relating(ctx, c, target)
}
