package server

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// Projects lists the projects with their other names.
func (p ownerPages) Projects(ctx context.Context, c memory.Caller) ([]pages.Project, error) {
	found, err := p.Vault.Projects(ctx, c, time.Now())
	out := make([]pages.Project, len(found))
	for i, one := range found {
		out[i] = pages.Project{Name: one.Name, Memories: one.Records, Aliases: one.Aliases, Last: one.Last}
	}
	return out, err
}

// ProjectNames lists the names of the projects.
func (p ownerPages) ProjectNames(ctx context.Context, c memory.Caller) ([]string, error) {
	found, err := p.Vault.Projects(ctx, c, time.Time{})
	names := make([]string, len(found))
	for i, one := range found {
		names[i] = one.Name
	}
	return names, err
}

// Around returns the memories that relate to a memory or an entity.
func (p ownerPages) Around(ctx context.Context, c memory.Caller, target string) ([]memory.Record, error) {
	return p.Relating(ctx, c, target)
}
