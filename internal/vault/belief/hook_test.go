package belief_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

const hookSecret = "quite a long secret of theirs"

func (h *house) subscribes(c memory.Caller) engram.Subscription {
	h.T.Helper()
	s, err := h.Subscribe(h.Ctx, c, engram.Subscription{URL: "https://notes.example/hook", Events: engram.EventTypes(), Secret: hookSecret})
	if err != nil {
		h.T.Fatal(err)
	}
	return s
}

// due are the deliveries that are to be made now.
func (h *house) due() []engram.Delivery {
	h.T.Helper()
	list, err := h.Deliveries(h.Ctx, h.Key.DID())
	if err != nil {
		h.T.Fatal(err)
	}
	return list
}

func (h *house) settled(d engram.Delivery, arrived, gone bool) bool {
	h.T.Helper()
	ended, err := h.Delivered(h.Ctx, h.Key.DID(), d, arrived, gone)
	if err != nil {
		h.T.Fatal(err)
	}
	return ended
}

func TestSubscribe(t *testing.T) { onEach(t, testSubscribe) }

func testSubscribe(t *testing.T, open opener) {
	h := open(t)
	h.states(engram.Communication, "greeting", "hello")
	h.Pass(time.Minute)
	narrow := h.assistant(engram.Professional)
	s := h.subscribes(narrow)
	if got := h.due(); len(got) != 0 {
		t.Errorf("before anything changed: %+v", got)
	}
	h.Pass(time.Minute)
	style := h.states(engram.Communication, "email_style", "short")
	h.states(engram.Health, "diet", "no nuts")
	t.Run("ENGRAM-12.5-1 a change is told once, within the token, with the secret", func(t *testing.T) {
		got := h.due()
		if len(got) != 1 || got[0].ID != s.ID || got[0].Secret != hookSecret || len(got[0].Happened) != 1 || got[0].Happened[0] != (engram.Event{Type: engram.BeliefAdded, ID: style.ID}) {
			t.Fatalf("%+v", got)
		}
		if again := h.due(); len(again) != 0 {
			t.Errorf("while it is under way: %+v", again)
		}
		h.settled(got[0], true, false)
		if again := h.due(); len(again) != 0 {
			t.Errorf("after it arrived: %+v", again)
		}
	})
	t.Run("ENGRAM-12.5-1 the secret is sealed at rest", func(t *testing.T) {
		err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
			a, err := r.Attached("engram.hook", s.ID, 0)
			if strings.Contains(string(a.Data), hookSecret) {
				t.Errorf("%s", a.Data)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("ENGRAM-12.5-1 confirming a correction is told", func(t *testing.T) {
		k := h.proposes(style, "longer")
		if got := h.due(); len(got) != 0 {
			t.Errorf("a proposal: %+v", got)
		}
		h.Pass(time.Second)
		if _, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, ""); err != nil {
			t.Fatal(err)
		}
		got := h.due()
		if len(got) != 1 || len(got[0].Happened) != 2 {
			t.Fatalf("%+v", got)
		}
		h.settled(got[0], false, false)
		if again := h.due(); len(again) != 0 {
			t.Errorf("at once again: %+v", again)
		}
		h.Pass(6 * time.Second)
		if again := h.due(); len(again) != 1 || len(again[0].Happened) != 2 {
			t.Errorf("after a while: %+v", again)
		}
	})
	t.Run("ENGRAM-12.5-1 after many tries it ends", func(t *testing.T) {
		for tries := 1; ; tries++ {
			h.Pass(2 * time.Hour)
			if h.settled(engram.Delivery{Subscription: s}, false, false) {
				break
			}
			if tries > 25 {
				t.Fatal("it goes on")
			}
		}
		if list, err := h.Subscriptions(h.Ctx, h.Me()); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
	})
	h.Healthy()
}

func TestSubscriptionsAreLogged(t *testing.T) {
	h := open(t)
	said := func(act audit.Act) string {
		e := h.LastAudit()
		if e.Act != act || e.Who != audit.Token("assistant") || strings.Contains(fmt.Sprintf("%+v", e), "notes.example") {
			t.Errorf("%s: %+v", act, e)
		}
		return fmt.Sprint(e.Reason, e.Count)
	}
	s := h.subscribes(h.assistant(engram.Full))
	said(audit.Subscribe)
	failing := func(times int) (ended bool) {
		h.Pass(time.Minute)
		h.states(engram.Values, h.Now.Format(time.TimeOnly), "kindness")
		for range times {
			h.Pass(2 * time.Hour)
			ended = h.settled(engram.Delivery{Subscription: s}, false, false)
		}
		return ended
	}
	t.Run("ENGRAM-12.5-1 failures are counted when it is reached again", func(t *testing.T) {
		failing(3)
		h.settled(engram.Delivery{Subscription: s, GeneratedAt: h.Now}, true, false)
		if got := said(audit.Undelivered); got != "3" {
			t.Error(got)
		}
		h.settled(engram.Delivery{Subscription: s, GeneratedAt: h.Now}, true, false)
		if got := said(audit.Undelivered); got != "3" {
			t.Errorf("again: %s", got)
		}
	})
	t.Run("ENGRAM-12.5-1 or when it ends", func(t *testing.T) {
		if !failing(20) || said(audit.Unsubscribe) != "unreachable20" {
			t.Errorf("%+v", h.LastAudit())
		}
		s = h.subscribes(h.assistant(engram.Full))
		h.settled(engram.Delivery{Subscription: s}, false, true)
		if got := said(audit.Unsubscribe); got != "receiver_gone0" {
			t.Error(got)
		}
		if err := h.Unsubscribe(h.Ctx, h.assistant(engram.Full), h.subscribes(h.assistant(engram.Full)).ID); err != nil || said(audit.Unsubscribe) != "asked0" {
			t.Error(err)
		}
	})
	h.Healthy()
}

func TestSubscriptions(t *testing.T) {
	h := open(t)
	runtime := h.assistant(engram.Full)
	s := h.subscribes(runtime)
	other := h.Granted(memory.Grant{ID: "another", Runtime: &memory.Runtime{Name: "x", Scope: "full"}})
	t.Run("ENGRAM-12.5-1 the owner sees who is told, without the secret", func(t *testing.T) {
		list, err := h.Subscriptions(h.Ctx, h.Me())
		if err != nil || len(list) != 1 || list[0].Runtime != "Open Claw" || list[0].Secret != "" || list[0].URL != "https://notes.example/hook" {
			t.Errorf("%+v, %v", list, err)
		}
		_, err = h.Subscriptions(h.Ctx, runtime)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		if owners, err := h.Subscribed(h.Ctx); err != nil || len(owners) != 1 {
			t.Errorf("%v, %v", owners, err)
		}
	})
	t.Run("ENGRAM-12.5-1 a runtime ends its own, the owner any", func(t *testing.T) {
		vaulttest.WantKind(t, h.Unsubscribe(h.Ctx, other, s.ID), memory.NotFound)
		if err := h.Unsubscribe(h.Ctx, runtime, s.ID); err != nil {
			t.Error(err)
		}
		vaulttest.WantKind(t, h.Unsubscribe(h.Ctx, h.Me(), s.ID), memory.NotFound)
		if err := h.Unsubscribe(h.Ctx, h.Me(), h.subscribes(runtime).ID); err != nil {
			t.Error(err)
		}
	})
	for name, end := range map[string]func(){
		"revoked": func() {
			if err := h.RevokeToken(h.Ctx, h.Me(), "another"); err != nil {
				t.Fatal(err)
			}
		},
		"expired": func() { h.Pass(2 * time.Hour) },
	} {
		t.Run("ENGRAM-12.5-1 with its token it ends: "+name, func(t *testing.T) {
			who := other
			if name == "expired" {
				who = h.assistant(engram.Full)
			}
			h.subscribes(who)
			end()
			h.Pass(time.Second)
			h.states(engram.Values, "value "+name, "kindness")
			if got := h.due(); len(got) != 0 {
				t.Errorf("%+v", got)
			}
			if list, err := h.Subscriptions(h.Ctx, h.Me()); err != nil || len(list) != 0 {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
	t.Run("ENGRAM-12.5-1 so many at most", func(t *testing.T) {
		for range 16 {
			h.subscribes(h.Me())
		}
		_, err := h.Subscribe(h.Ctx, h.Me(), engram.Subscription{URL: "https://notes.example/hook", Events: engram.EventTypes(), Secret: hookSecret})
		if faultOf(err) != engram.RateLimited {
			t.Error(err)
		}
	})
	_, err := h.Subscribe(h.Ctx, h.Granted(memory.Grant{}), engram.Subscription{})
	if faultOf(err) != engram.Forbidden {
		t.Error(err)
	}
	h.Healthy()
}
