package server

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault/roster"
	"github.com/satchel-memory/satchel/memory"
)

// rosterPages is the service behind the operator's page.
type rosterPages struct {
	roster *roster.Service
	home   memory.DID
}

func (p rosterPages) infoOf(e roster.Entry) pages.OwnerInfo {
	return pages.OwnerInfo{Owner: e.Owner, Label: e.Label, Home: e.Owner == p.home, Held: e.Held, Memories: e.Records, Bytes: e.Bytes,
		MaxMemories: e.Quota.Records, MaxBytes: e.Quota.Bytes, Added: e.Added, Seen: e.Seen, Moved: e.MovedTo != "" || e.Store != ""}
}

// OwnerList returns one page of owners.
func (p rosterPages) OwnerList(ctx context.Context, c memory.Caller, after memory.DID) (list pages.OwnerList, err error) {
	page, err := p.roster.List(ctx, c, after, pages.PageSize)
	for _, e := range page.Owners {
		list.Owners = append(list.Owners, p.infoOf(e))
	}
	list.Next = page.Next
	return list, err
}

// OwnerNamed describes an owner.
func (p rosterPages) OwnerNamed(ctx context.Context, c memory.Caller, owner memory.DID) (pages.OwnerInfo, error) {
	e, err := p.roster.Owner(ctx, c, owner)
	return p.infoOf(e), err
}

// InviteOwner makes an invitation.
func (p rosterPages) InviteOwner(ctx context.Context, c memory.Caller, owner memory.DID) (string, time.Time, error) {
	e, err := p.roster.Invite(ctx, c, owner)
	return e.Secret, e.Ends, err
}

// LimitOwner sets a quota.
func (p rosterPages) LimitOwner(ctx context.Context, c memory.Caller, owner memory.DID, memories, bytes int64) error {
	return p.roster.Limit(ctx, c, owner, memories, bytes)
}

// DropOwner removes an owner.
func (p rosterPages) DropOwner(ctx context.Context, c memory.Caller, owner memory.DID) (bool, error) {
	return p.roster.Remove(ctx, c, owner)
}
