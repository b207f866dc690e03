package vaulttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// AgentOf returns a draft of an agent.
func AgentOf(id, says string) agentstore.AgentDraft {
	return agentstore.AgentDraft{KeptAgent: agentstore.KeptAgent{ID: id, Digest: says, Came: says, Name: id, Signer: "did:key:z", Document: []byte(says)}}
}

// Landing receives a checkpoint under the newest definition of its agent.
func (h *House) Landing(l agentstore.Landing, jti string) {
	h.T.Helper()
	agent, err := h.KeptAgent(h.Ctx, h.Me(), l.State.Agent, 0)
	if err != nil {
		h.T.Fatal(err)
	}
	l.Revision, l.Same = agent.Revision, func([]byte) bool { return false }
	l.Token = agentstore.SpentToken{Issuer: "i", JTI: jti, Until: h.Now}
	if _, err := h.ReceiveState(h.Ctx, h.Me(), l); err != nil {
		h.T.Fatal(err)
	}
}

// KeptOf lists every kept revision and checkpoint of an owner's agents.
func (h *House) KeptOf(owner memory.DID) (all []string) {
	h.T.Helper()
	err := h.Store.View(h.Ctx, owner, func(r store.Reader) error {
		list, err := r.Agents().AgentList("", 99)
		for _, newest := range list {
			for n := int64(1); n <= newest.Revision; n++ {
				a, err := r.Agents().Agent(newest.ID, n)
				all = append(all, fmt.Sprint(a.ID, n, " ", string(a.Document), a.Received, err))
			}
		}
		states, err2 := r.Agents().StateList("", store.StatePlace{}, 99)
		for _, s := range states {
			full, err := r.Agents().State(s.ID)
			all = append(all, fmt.Sprint(full.ID, full.Agent, string(full.Document), full.Received, err))
		}
		if err == nil {
			err = err2
		}
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return all
}

// Erases erases a record as caller c.
func (h *House) Erases(c memory.Caller, id memory.ID) {
	h.T.Helper()
	if _, err := h.Forget(h.Ctx, c, memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: true}); err != nil {
		h.T.Fatal(err)
	}
}

// Under opens the same store for its next owner.
func (h *House) Under(key keys.Private) *House {
	next := &House{T: h.T, Ctx: h.Ctx, Key: key, Now: h.Now, Path: h.Path, Store: h.Store, Again: h.Again}
	next.Serve(vault.Options{
		Store: h.Store, Now: func() time.Time { return next.Now }, Release: "test", Bindings: []string{"file"},
		Key: next.Holds, Signed: true, Tokens: true, Owner: key.DID(), Via: "cli", Producer: "satchel-test",
	})
	return next
}

// MustRekey moves everything to the new key, and finishes the change of keys.
func (h *House) MustRekey(to keys.Private) (*House, rekey.Report) {
	h.T.Helper()
	report, err := h.Rekey(h.Ctx, h.Me(), to, nil)
	if err != nil {
		h.T.Fatalf("rekey: %v", err)
	}
	next := h.Under(to)
	if cleared, err := next.FinishRekey(h.Ctx, h.Me(), to.DID()); err != nil || cleared != h.Clears() {
		h.T.Fatalf("finish: cleared %v, %v", cleared, err)
	}
	return next, report
}

// Life is a store with everything that a rekey must carry over.
type Life struct {
	*House
	First, Second, Forgotten, Emptied, Public, Proposed, Linked, Imported memory.ID
	Number                                                                int64
}

// Lived fills a memory as if it had been used for a while.
func Lived(t *testing.T, open Opener) *Life {
	h := open(t)
	l := &Life{House: h}
	l.First = h.Keep(`{"body":{"text":"the meeting is on Monday"},"x_unknown":{"kept":[1,2.50]},"scope":{"user":` + Quote(string(h.Key.DID())) + `}}`).ID
	l.Second = memory.ID(h.Must(ump.OpRevise, `{"id":"`+string(l.First)+`","patch":{"body":{"text":"the meeting is on Tuesday"}}}`)["id"].(string))
	l.Forgotten = h.Tell("what nobody needs")
	h.Must(ump.OpForget, `{"id":"`+string(l.Forgotten)+`","reason":"outdated","note":"a remark"}`)
	l.Emptied = h.Tell("for one day only", `"consent":{"retention":"P1D"}`)
	l.Public = h.Tell("open to all", `"scope":{"visibility":"public","project":"shop"}`)
	l.Proposed = h.Tell("perhaps", `"lifecycle":{"status":"candidate"}`)
	l.Linked = h.Tell("Tuesday is busy", `"relations":[{"type":"depends_on","target":"`+string(l.Second)+`"}]`)
	report := h.MustTake(Note(h.Key.DID(), "the wiki says blue"), vault.ImportOptions{Name: "notes", Format: "test", Digest: "d1"})
	l.Number = report.Number
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{Kinds: []memory.Kind{memory.Procedural}})
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("the import: %d records, %v", len(page.Records), err)
	}
	l.Imported = page.Records[0].ID
	if err := h.Feedback(h.Ctx, h.Me(), l.Second, "followed", "s"); err != nil {
		t.Fatal(err)
	}
	if err := h.AliasProject(h.Ctx, h.Me(), "old-shop", "shop"); err != nil {
		t.Fatal(err)
	}
	h.Pass(48 * time.Hour)
	if n, err := h.Sweep(h.Ctx, h.Key.DID()); err != nil || n != 1 {
		t.Fatalf("swept %d, %v", n, err)
	}
	return l
}

// Note returns a document with one record, whose source is elsewhere.
func Note(owner memory.DID, text string) *Run {
	return &Run{Records: []memory.Record{{
		Kind: memory.Procedural, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: owner, Project: "shop"},
		Time: memory.Times{Created: Start()},
		Provenance: &memory.Provenance{Actor: "x", ActorKind: memory.ByImport, Method: "test",
			Source: &memory.Source{Provider: "wiki", Ref: "pages/colour.md"}},
	}}}
}
