package vault

import (
	"context"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Unverify lets v serve records without verifying them, to measure what that
// costs.
func Unverify(v *Vault) *Vault {
	v.unverified = true
	return v
}

// OnlyEngineChanged and ErrBeyondEngine are what tests of every member call.
var (
	OnlyEngineChanged = onlyEngineChanged
	ErrBeyondEngine   = errBeyondEngine
)

// BornBeside returns the edition of a draft of the owner's that is about to be stored,
// while v believes that the memory speaks another edition.
func BornBeside(ctx context.Context, v *Vault, owner memory.DID, believed string) (edition string, err error) {
	draft := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "made ready before"}, Scope: memory.Scope{Owner: owner}, Time: memory.Times{Created: v.now()}}
	draft, err = ump.Author(draft, v.holder(owner))
	if err != nil {
		return "", err
	}
	err = v.store.Update(ctx, owner, func(w store.Writer) error {
		v.editions.Store(owner, believed)
		p, err := v.inEdition(w, Prepared{Rec: draft})
		edition = p.Rec.Version
		return err
	})
	return edition, err
}

// MarkIndexed notes that all documents up to a number are indexed by this release, as a program
// does after many of them.
func MarkIndexed(ctx context.Context, v *Vault, owner memory.DID, to int64) error {
	return reindexer{v, owner}.setMark(ctx, to)
}

// HeldForQuestions returns the words that v keeps in memory of owners' indexes, by owner.
func HeldForQuestions(v *Vault) map[memory.DID]string {
	v.recalls.mu.Lock()
	defer v.recalls.mu.Unlock()
	held := make(map[memory.DID]string)
	for owner, x := range v.recalls.owners {
		x.mu.Lock()
		var all strings.Builder
		for _, kept := range []keptIndex{x.young, x.old} {
			for _, c := range kept.entries {
				if c == nil || c.Entry == nil {
					continue
				}
				all.WriteString(string(c.Record.ID) + " ")
				for term := range c.Entry.Terms {
					all.WriteString(string(term) + " ")
				}
			}
			for term := range kept.counts {
				all.WriteString(term + " ")
			}
			for term := range kept.postings {
				all.WriteString(term + " ")
			}
			for key, terms := range kept.terms {
				all.WriteString(key.prefix + " " + strings.Join(terms, " ") + " ")
			}
		}
		held[owner] = all.String()
		x.mu.Unlock()
	}
	return held
}

// ExpireHeld does what happens some time after an owner's last question.
func ExpireHeld(v *Vault, owner memory.DID) {
	v.recalls.mu.Lock()
	x := v.recalls.owners[owner]
	if x != nil {
		x.used = x.used.Add(-heldFor)
	}
	v.recalls.mu.Unlock()
	if x != nil {
		v.recalls.expire(owner, x)
	}
}
