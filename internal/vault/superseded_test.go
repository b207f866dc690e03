package vault_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestNoFork(t *testing.T) { onEach(t, testNoFork) }

func testNoFork(t *testing.T, open opener) {
	h := open(t)
	revise := func(c memory.Caller, id memory.ID, patch string) (memory.ID, error) {
		v, err := h.Call(ump.OpRevise, c, `{"id":"`+string(id)+`","patch":`+patch+`}`)
		if err != nil {
			return "", err
		}
		return memory.ID(v["id"].(string)), nil
	}
	refused := func(err error, path string, current ...memory.ID) {
		t.Helper()
		cause, ok := errors.AsType[*memory.SupersededError](err)
		if e, _ := errors.AsType[*memory.Error](err); !ok || !slices.Equal(cause.Current, current) || e.Kind != memory.InvalidRecord || e.Path != path {
			t.Fatalf("%v, want a refusal at %s that names %v", err, path, current)
		}
		for _, id := range current {
			if envelope := string(ump.ErrorEnvelope(err)); strings.Count(envelope, string(id)) != 2 { // in the message and in details
				t.Errorf("%s does not name %s", envelope, id)
			}
		}
	}
	first := h.Tell("She drinks coffee.")
	second, err := revise(h.Me(), first, `{"text":"She drinks tea."}`)
	if err != nil {
		t.Fatal(err)
	}
	third, err := revise(h.Agent(), second, `{"text":"She drinks matcha."}`)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("UMP-3.5-10 revising what was replaced names the current version", func(t *testing.T) {
		for _, id := range []memory.ID{first, second} {
			_, err := revise(h.Agent(), id, `{"text":"She drinks water."}`)
			refused(err, "/id", third)
		}
	})
	t.Run("UMP-3.5-10 so does a draft that supersedes it", func(t *testing.T) {
		draft := `{"text":"She drinks water.","supersedes":["` + string(first) + `"]}`
		_, err := h.Call(ump.OpRemember, h.Agent(), draft)
		refused(err, "/supersedes", third)
		if p := h.MustGet(first); len(p.SupersededBy) != 1 {
			t.Errorf("superseded by %v", p.SupersededBy)
		}
	})
	t.Run("UMP-3.3-2 a draft that is sent again merges", func(t *testing.T) {
		old := h.Tell("The cat is black.")
		draft := `{"text":"The cat is white.","supersedes":["` + string(old) + `"]}`
		one, two := h.Must(ump.OpRemember, draft), h.Must(ump.OpRemember, draft)
		if one["id"] != two["id"] {
			t.Errorf("%v and %v", one, two)
		}
	})
	t.Run("UMP-3.5-10 a version to come is named with the one that holds", func(t *testing.T) {
		acme := h.Tell("Works at Acme.")
		bolt, err := revise(h.Me(), acme, `{"text":"Works at Bolt.","time":{"valid_from":"2027-01-01T00:00:00Z"}}`)
		if err != nil {
			t.Fatal(err)
		}
		_, err = revise(h.Me(), acme, `{"text":"Works at Core."}`)
		if !strings.Contains(string(ump.ErrorEnvelope(err)), string(acme)+" holds until 2027-01-01T00:00:00Z, and "+string(bolt)) {
			t.Errorf("%v", err)
		}
		core, err := revise(h.Me(), bolt, `{"text":"Works at Core."}`)
		if err != nil {
			t.Fatal(err)
		}
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "Where does she work?"}), "Works at Acme.") // and not at Core yet
		if from := h.MustGet(core).Time.From(); from.Year() != 2027 {
			t.Errorf("the revised plan begins %v", from)
		}
	})
	t.Run("UMP-3.5-10 plans that name each other are refused", func(t *testing.T) {
		now, plan, later := h.Tell("The bridge is open."), "urn:ump:bridge-plan", "urn:ump:bridge-later"
		h.Must(ump.OpRemember, `{"record":{"id":"`+plan+`","body":{"text":"The bridge is shut."},"time":{"valid_from":"2030-01-01T00:00:00Z"},"supersedes":["`+later+`","`+string(now)+`"]}}`)
		h.Must(ump.OpRemember, `{"record":{"id":"`+later+`","body":{"text":"The bridge is new."},"time":{"valid_from":"2031-01-01T00:00:00Z"},"supersedes":["`+plan+`"]}}`)
		_, err := revise(h.Me(), now, `{"text":"The bridge is long."}`)
		if !strings.Contains(string(ump.ErrorEnvelope(err)), string(now)+" holds until 2031-01-01T00:00:00Z, and "+later) {
			t.Errorf("%v", err)
		}
	})
	t.Run("UMP-3.5-10 a version whose successor was forgotten may be revised", func(t *testing.T) {
		old := h.Tell("The dog is young.")
		gone, err := revise(h.Me(), old, `{"text":"The dog is old."}`)
		if err != nil {
			t.Fatal(err)
		}
		h.Must(ump.OpForget, `{"id":"`+string(gone)+`","reason":"incorrect"}`)
		if _, err := revise(h.Me(), old, `{"text":"The dog is brown."}`); err != nil {
			t.Error(err)
		}
	})
	t.Run("UMP-5.2-1 a token learns nothing of a version that it may not read", func(t *testing.T) {
		shared := h.Tell("The gate is green.", `"scope":{"visibility":"shared"}`)
		private, err := revise(h.Me(), shared, `{"text":"The gate is red.","scope":{"visibility":"private"}}`)
		if err != nil {
			t.Fatal(err)
		}
		ended := h.Tell("The gate is old.", `"scope":{"visibility":"shared"},"time":{"valid_to":"2027-01-01T00:00:00Z"}`)
		peer := h.Granted(memory.Grant{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb, memory.DeriveVerb}})
		said := map[memory.ID][]string{}
		for _, id := range []memory.ID{shared, ended} {
			_, err := revise(peer, id, `{"text":"The gate is blue."}`)
			_, errDraft := h.Call(ump.OpRemember, peer, `{"text":"The gate is blue.","supersedes":["`+string(id)+`"]}`)
			for _, err := range []error{err, errDraft} {
				if memory.KindOf(err) != memory.InvalidRecord {
					t.Errorf("%v", err)
				}
				said[id] = append(said[id], strings.ReplaceAll(string(ump.ErrorEnvelope(err)), string(id), "ID"))
			}
		}
		if !slices.Equal(said[shared], said[ended]) || strings.Contains(said[shared][0], string(private)) {
			t.Errorf("%q\nof a record without a hidden version: %q", said[shared], said[ended])
		}
	})
	t.Run("UMP-5.2-1 no record names a version that the token may not read", func(t *testing.T) {
		shared := h.Tell("The barn is green.", `"scope":{"visibility":"shared"}`)
		private, err := revise(h.Me(), shared, `{"text":"The barn is red.","scope":{"visibility":"private"}}`)
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.Get(h.Ctx, h.Peer(), shared, memory.CurrentView)
		if err != nil || strings.Contains(string(got.Form()), string(private)) || len(got.SupersededBy) != 0 {
			t.Fatalf("%v: %s", err, got.Form())
		}
		vaulttest.Verified(t, got)
		if mine := h.MustGet(shared); !slices.Equal(mine.SupersededBy, []memory.ID{private}) {
			t.Errorf("the owner is shown %v", mine.SupersededBy)
		}
		events, _, err := h.Changes(h.Ctx, h.Peer(), memory.Subscription{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Record != nil && strings.Contains(string(e.Record.Form()), string(private)) {
				t.Errorf("the event %s shows %s", e.Type, e.Record.Form())
			}
		}
		left, err := h.Bundle(h.Granted(memory.Grant{Verbs: memory.Verbs()}), aimem.Export{Scope: aimem.Full, History: true, ToPeer: true})
		if err != nil || !strings.Contains(left.Text, "The barn is green.") || strings.Contains(left.Text, strings.TrimPrefix(string(private), "urn:ump:")) {
			t.Errorf("the bundle, %v: %s", err, left.Text)
		}
	})
	t.Run("UMP-3.3-4 what is signed may fork", func(t *testing.T) {
		old := h.Tell("The tree is an oak.")
		if _, err := revise(h.Me(), old, `{"text":"The tree is an elm."}`); err != nil {
			t.Fatal(err)
		}
		rec := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "The tree is an ash."}, Scope: memory.Scope{Owner: h.Key.DID()},
			Time: memory.Times{Created: h.Now}, Supersedes: []memory.ID{old},
			Provenance: &memory.Provenance{Actor: "a", ActorKind: memory.ByUser, Method: "user_stated"}}
		signed, err := ump.Author(rec, &h.Key)
		if err != nil {
			t.Fatal(err)
		}
		h.Must(ump.OpRemember, string(signed.Form()))
		if p := h.MustGet(old); len(p.SupersededBy) != 2 {
			t.Fatalf("superseded by %v", p.SupersededBy)
		}
		_, err = revise(h.Me(), old, `{"text":"The tree is gone."}`)
		if cause, ok := errors.AsType[*memory.SupersededError](err); !ok || len(cause.Current) != 2 {
			t.Errorf("%v", err)
		}
	})
	t.Run("UMP-3.5-11 of two writers at once one wins", func(t *testing.T) {
		id := h.Tell("The lamp is on.")
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() {
				_, errs[i] = h.Revise(context.Background(), h.Me(), memory.Revision{ID: id, Patch: []byte(`{"body":{"text":"The lamp is off, ` + time.Duration(i).String() + `."}}`)})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if _, ok := errors.AsType[*memory.SupersededError](err); !ok {
				t.Error(err)
			}
		}
		if p := h.MustGet(id); won != 1 || len(p.SupersededBy) != 1 {
			t.Errorf("%d won, superseded by %v", won, p.SupersededBy)
		}
	})
}
