// Package roster tells the operator of a store which owners it keeps, and lets the operator
// invite an owner, set a quota and remove an owner. It shows names, sizes and times, and nothing of what an
// owner keeps.
package roster

import (
	"context"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// Service serves the operator of one vault. It is safe for concurrent use.
type Service struct {
	vault  *vault.Vault
	kernel vault.Kernel
	visits *visit.Service
}

// New returns a service for the operator of v.
func New(v *vault.Vault) *Service { return &Service{v, vault.KernelOf(v), visit.New(v)} }

// Entry is an owner as the operator sees one.
type Entry struct {
	vault.OwnerInfo
	// Seen is when the owner's browsers or programs last did something that the store
	// knows of; zero: never.
	Seen time.Time
}

// Page is one page of owners.
type Page struct {
	Owners []Entry
	Next   memory.DID // the mark for the page after this one; empty: there is none
}

// List returns at most limit owners who are in, in the order of their arrival, from behind
// the owner after on; empty: from the first. It leaves out removed owners. Only the operator
// in person may ask; others fail with kind ForbiddenScope.
func (s *Service) List(ctx context.Context, c memory.Caller, after memory.DID, limit int) (page Page, err error) {
	const op = "owners"
	if err := vault.MayOperate(s.kernel, op, c); err != nil {
		return page, err
	}
	owners, err := s.kernel.Bare().Owners(ctx)
	if err != nil {
		return page, s.kernel.Refusal(c, op, "", err)
	}
	if at := slices.Index(owners, after); after != "" && at >= 0 {
		owners = owners[at+1:]
	}
	for _, owner := range owners {
		entry, err := s.entry(ctx, c, owner)
		switch {
		case memory.KindOf(err) == memory.NotFound:
			continue
		case err != nil:
			return page, err
		case len(page.Owners) == limit:
			page.Next = page.Owners[limit-1].Owner
			return page, nil
		}
		page.Owners = append(page.Owners, entry)
	}
	return page, nil
}

// Owner describes an owner who is in. It fails with kind NotFound for a removed owner and
// for one that the store does not know, and like List.
func (s *Service) Owner(ctx context.Context, c memory.Caller, owner memory.DID) (Entry, error) {
	if err := vault.MayOperate(s.kernel, "owners", c); err != nil {
		return Entry{}, err
	}
	return s.entry(ctx, c, owner)
}

func (s *Service) entry(ctx context.Context, c memory.Caller, owner memory.DID) (Entry, error) {
	const op = "owners"
	info, err := s.kernel.Owner(ctx, c, owner)
	switch {
	case err != nil:
		return Entry{}, err
	case owner != s.kernel.Home() && info.Added.IsZero() && info.Records == 0 && info.MovedTo == "" && info.Store == "":
		return Entry{}, &memory.Error{Kind: memory.NotFound, Op: op, Message: "the store knows no such owner; satchel owner list shows those it knows"}
	}
	e := Entry{OwnerInfo: info}
	err = s.kernel.Bare().View(ctx, owner, func(r store.Reader) (err error) {
		e.Seen, err = lastSeen(r)
		return err
	})
	return e, s.kernel.Refusal(c, op, "", err)
}

// latestEntries is how many entries of the log lastSeen reads.
const latestEntries = 20

// lastSeen returns the time of the latest visit of a browser or, if that is later, of the
// latest entry of the log by the owner or by a program.
func lastSeen(r store.Reader) (seen time.Time, err error) {
	sessions, err := r.Sessions().SessionList()
	if err != nil {
		return seen, err
	}
	for _, v := range sessions {
		if (v.Use == store.Visit || v.Use == store.Passkey) && v.Seen.After(seen) {
			seen = v.Seen
		}
	}
	n, _, err := r.Audit().AuditSize()
	if err != nil {
		return seen, err
	}
	entries, err := audit.Entries(r.Audit(), max(0, n-latestEntries), latestEntries)
	for _, e := range entries { // the operator makes the first token, in the owner's name
		if e.Who != audit.Operator && e.Who != audit.Anonymous && e.Act != audit.Grant && e.At.After(seen) {
			seen = e.At
		}
	}
	return seen, err
}

// Invite makes a link's secret that lets a browser in to the pages of an owner who is in,
// once within a day. It fails like Owner.
func (s *Service) Invite(ctx context.Context, c memory.Caller, owner memory.DID) (visit.Entrance, error) {
	if _, err := s.Owner(ctx, c, owner); err != nil {
		return visit.Entrance{}, err
	}
	if err := s.kernel.Open(ctx, owner); err != nil {
		return visit.Entrance{}, err
	}
	return s.visits.Invite(ctx, memory.Caller{Owner: owner, Role: memory.Owner}, visit.ForInvitation)
}

// Limit sets how much an owner may keep; 0: no limit. What is kept stays. It fails like List.
func (s *Service) Limit(ctx context.Context, c memory.Caller, owner memory.DID, records, bytes int64) error {
	return s.kernel.SetQuota(ctx, c, owner, store.Quota{Records: records, Bytes: bytes})
}

// Remove erases everything of an owner and closes the account, as [vault.Vault.RemoveOwner]
// does.
func (s *Service) Remove(ctx context.Context, c memory.Caller, owner memory.DID) (cleared bool, err error) {
	return s.vault.RemoveOwner(ctx, c, owner)
}
