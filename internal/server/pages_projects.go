package server

import (
	"context"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// mostDated is for how many projects the pages look up when they were used last.
const mostDated = 60

// ProjectList lists the projects with their other names.
func (p ownerPages) ProjectList(ctx context.Context, c memory.Caller) ([]pages.ProjectInfo, error) {
	all, err := p.Vault.Projects(ctx, c)
	out := make([]pages.ProjectInfo, len(all))
	for i, one := range all {
		out[i] = pages.ProjectInfo{Name: one.Name, Memories: one.Records, Aliases: one.Aliases}
		if one.Name == "" || i >= mostDated {
			continue
		}
		newest, err := p.Vault.List(ctx, c, vault.ListQuery{Project: one.Name, Newest: true, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(newest.Records) > 0 {
			out[i].Last = newest.Records[0].Time.Created
		}
	}
	return out, err
}

// Around returns the memories that relate to a memory or an entity.
func (p ownerPages) Around(ctx context.Context, c memory.Caller, target string) ([]memory.Record, error) {
	return p.Relating(ctx, c, target)
}
