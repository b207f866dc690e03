package server

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// mostDated is for how many projects the pages look up when they were used last.
const mostDated = 60

// inForce counts the memories of a project that are true now, as the first page counts all,
// and says when the latest of them was made. Earlier versions do not count.
func (p ownerPages) inForce(ctx context.Context, c memory.Caller, project string, now time.Time) (n int, last time.Time, err error) {
	page, err := p.Vault.List(ctx, c, vault.ListQuery{Project: project, ValidAt: now, Newest: true, Limit: 1})
	if len(page.Records) > 0 {
		last = page.Records[0].Time.Created
	}
	return page.Total, last, err
}

// ProjectList lists the projects with their other names.
func (p ownerPages) ProjectList(ctx context.Context, c memory.Caller) ([]pages.ProjectInfo, error) {
	all, err := p.Vault.Projects(ctx, c)
	now, none, counted := time.Now(), -1, 0
	out := make([]pages.ProjectInfo, len(all))
	for i, one := range all {
		out[i] = pages.ProjectInfo{Name: one.Name, Memories: one.Records, Aliases: one.Aliases}
		if one.Name == "" {
			none = i
			continue
		}
		if i >= mostDated {
			continue
		}
		if out[i].Memories, out[i].Last, err = p.inForce(ctx, c, one.Name, now); err != nil {
			return nil, err
		}
		counted += out[i].Memories
	}
	if none < 0 || len(all) > mostDated || err != nil {
		return out, err
	}
	whole, _, err := p.inForce(ctx, c, "", now)
	out[none].Memories = max(0, whole-counted)
	return out, err
}

// Around returns the memories that relate to a memory or an entity.
func (p ownerPages) Around(ctx context.Context, c memory.Caller, target string) ([]memory.Record, error) {
	return p.Relating(ctx, c, target)
}
