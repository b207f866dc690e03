package vault_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// follow returns what happened after a sequence number, in batches of max.
func (h *house) follow(c memory.Caller, s memory.Subscription) (events []memory.Event) {
	h.T.Helper()
	for {
		some, next, err := h.Changes(h.Ctx, c, s)
		if err != nil {
			h.T.Fatal(err)
		}
		for _, e := range some {
			if e.Sequence <= s.After {
				h.T.Fatalf("event %d came after %d", e.Sequence, s.After)
			}
			s.After = e.Sequence
		}
		events = append(events, some...)
		if len(some) == 0 && next == s.After {
			return events
		}
		s.After = next
	}
}

func told(events []memory.Event) (out []string) {
	for _, e := range events {
		line := string(e.Type)
		if e.Record != nil {
			line += " " + e.Record.Body.Text
		}
		out = append(out, line)
	}
	return out
}

func TestChanges(t *testing.T) { onEach(t, testChanges) }

func testChanges(t *testing.T, open opener) {
	h := open(t)
	peer := h.Granted(memory.Grant{Scope: memory.Scope{Project: projectX}})
	id := h.Tell("one", shared)
	h.Must(ump.OpRemember, `{"record":{"body":{"text":"one"},`+shared+`}}`)
	next := memory.ID(h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"text":"two"}}}`)["id"].(string))
	h.Must(ump.OpForget, `{"id":"`+string(next)+`","reason":"outdated"}`)
	private := h.Tell("three")
	for _, gone := range []memory.ID{next, private} {
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: gone, Reason: memory.OtherReason, Hard: true}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("UMP-3.8-3 what happened, in order", func(t *testing.T) {
		h2 := open(t)
		first := h2.Tell("one")
		h2.Must(ump.OpRemember, `{"record":{"body":{"text":"one"}}}`)
		second := memory.ID(h2.Must(ump.OpRevise, `{"id":"`+string(first)+`","patch":{"body":{"text":"two"}}}`)["id"].(string))
		third := h2.Tell("three")
		h2.Must(ump.OpForget, `{"id":"`+string(third)+`","reason":"outdated"}`)
		if got, want := told(h2.follow(h2.Me(), memory.Subscription{})), []string{"created one", "merged one", "revised two", "created [erased]", "tombstoned [erased]"}; !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		if _, err := h2.Forget(h2.Ctx, h2.Me(), memory.ForgetRequest{ID: second, Reason: memory.OtherReason, Hard: true}); err != nil {
			t.Fatal(err)
		}
		if got, want := told(h2.follow(h2.Me(), memory.Subscription{})), []string{"created", "merged", "revised", "created [erased]", "tombstoned [erased]", "erased", "erased"}; !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
	t.Run("UMP-2.7-7 a peer learns of what was shared, and of nothing else", func(t *testing.T) {
		events := h.follow(peer, memory.Subscription{})
		if got, want := told(events), []string{"erased", "erased"}; !slices.Equal(got, want) {
			t.Fatalf("got %q", got)
		}
		for _, e := range events {
			if e.ID == private {
				t.Fatal("the id of a private record")
			}
		}
		h.Tell("my token is hunter2", `"consent":{"redact":["body.text"]}`, shared)
		if got := told(h.follow(peer, memory.Subscription{})); got[len(got)-1] != "created [redacted]" {
			t.Fatalf("got %q", got)
		}
	})
	t.Run("UMP-3.8-3 what is erased is told where it belonged", func(t *testing.T) {
		gone := h.Tell("of y, and gone", `"scope":{"visibility":"shared","project":"`+projectY+`","agent":"codex"}`)
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: gone, Reason: memory.OtherReason, Hard: true}); err != nil {
			t.Fatal(err)
		}
		hears := func(c memory.Caller, s memory.Subscription) bool {
			return slices.ContainsFunc(h.follow(c, s), func(e memory.Event) bool { return e.ID == gone })
		}
		y := h.Granted(memory.Grant{Scope: memory.Scope{Project: projectY}})
		for _, c := range []struct {
			who   memory.Caller
			asked memory.Subscription
			want  bool
		}{
			{h.Me(), memory.Subscription{}, true}, {h.Me(), memory.Subscription{Project: projectY}, true}, {h.Me(), memory.Subscription{Project: projectX}, false},
			{h.Me(), memory.Subscription{Agent: "codex"}, true}, {h.Me(), memory.Subscription{Agent: "other"}, false},
			{y, memory.Subscription{}, true}, {peer, memory.Subscription{}, false}, {y, memory.Subscription{Agent: "other"}, false},
		} {
			if got := hears(c.who, c.asked); got != c.want {
				t.Errorf("%v asking for %+v hears of it: %v", c.who.Role, c.asked, got)
			}
		}
	})
	t.Run("UMP-3.8-3 a peer learns that what it saw has ended, also where it may not see what follows", func(t *testing.T) {
		id := h.Tell("the code is on the shelf", shared)
		h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"text":"the code is hidden"},"scope":{"visibility":"private"}}}`)
		events := h.follow(peer, memory.Subscription{})
		last := events[len(events)-1]
		if last.Type != memory.WasRevised || last.ID != id || last.Record == nil || last.Record.Time.ValidTo.IsZero() || strings.Contains(last.Record.Body.Text, "hidden") {
			t.Fatalf("%+v", last)
		}
	})
	t.Run("UMP-3.8-3 only what was asked for", func(t *testing.T) {
		h.Tell("of y", `"scope":{"project":"`+projectY+`","agent":"codex"}`)
		for _, s := range []memory.Subscription{{Project: projectY}, {Agent: "codex"}} {
			if got := told(h.follow(h.Me(), s)); got[len(got)-1] != "created of y" || strings.Contains(fmt.Sprint(got), "redacted") {
				t.Fatalf("got %q", got)
			}
		}
		_, _, err := h.Changes(h.Ctx, peer, memory.Subscription{Project: projectY})
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
}

func TestChangesOfImports(t *testing.T) {
	racing.Skip(t)
	onEach(t, testChangesOfImports)
}

func testChangesOfImports(t *testing.T, open opener) {
	h := open(t)
	h.Tell("before")
	h.MustTake(vaulttest.Drafts(h.Key.DID(), 250), vault.ImportOptions{})
	h.Tell("after")
	whole := h.follow(h.Me(), memory.Subscription{})
	if len(whole) != 252 {
		t.Fatalf("%d events", len(whole))
	}
	t.Run("every record once, wherever the reading is taken up again", func(t *testing.T) {
		for _, max := range []int{1, 7, 100} {
			got := h.follow(h.Me(), memory.Subscription{Max: max})
			if !slices.Equal(told(got), told(whole)) {
				t.Fatalf("by %d: %d events", max, len(got))
			}
		}
		for _, from := range []int{0, 1, 130, 250, 251} {
			if got := h.follow(h.Me(), memory.Subscription{After: whole[from].Sequence}); !slices.Equal(told(got), told(whole[from+1:])) {
				t.Fatalf("after event %d: %d events", from, len(got))
			}
		}
	})
	t.Run("the numbers do not move when a record is erased", func(t *testing.T) {
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: whole[1].ID, Reason: memory.OtherReason, Hard: true}); err != nil {
			t.Fatal(err)
		}
		got := h.follow(h.Me(), memory.Subscription{After: whole[130].Sequence})
		if want := append(told(whole[131:]), "erased"); !slices.Equal(told(got), want) {
			t.Fatalf("%d events, want %d", len(got), len(want))
		}
	})
}

func TestAwait(t *testing.T) { onEach(t, testAwait) }

func testAwait(t *testing.T, open opener) {
	h := open(t)
	h.Tell("one")
	head, err := h.Head(h.Ctx, h.Me())
	if err != nil || head != 1 {
		t.Fatalf("head %d, %v", head, err)
	}
	t.Run("what is past is not waited for", func(t *testing.T) {
		if err := h.Await(h.Ctx, h.Me(), 0); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("what another process writes is noticed", func(t *testing.T) {
		ctx, stop := context.WithTimeout(h.Ctx, 20*time.Second)
		defer stop()
		other := over(t, h.Path, h.Again)
		defer other.Store.Close()
		done := make(chan error)
		go func() { done <- h.Await(ctx, h.Me(), head) }()
		other.Tell("two")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
	t.Run("waiting ends with its context", func(t *testing.T) {
		ctx, stop := context.WithTimeout(h.Ctx, 50*time.Millisecond)
		defer stop()
		if err := h.Await(ctx, h.Me(), 99); err != context.DeadlineExceeded {
			t.Fatal(err)
		}
	})
}
