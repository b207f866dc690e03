package visit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

func (h house) code(t *testing.T) visit.Confirmation {
	t.Helper()
	c, err := h.IssueCode(h.Ctx, h.self())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (h house) confirmed(t *testing.T, cookie string) bool {
	t.Helper()
	ok, err := h.Confirmed(h.Ctx, cookie)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// A code confirms one visit, once, for ten minutes; the log says so.
func TestConfirm(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		mine, other := h.letIn(t), h.letIn(t)
		code := h.code(t)
		if len(code.Code) != 6 || !code.Ends.Equal(h.Now.Add(5*time.Minute)) {
			t.Errorf("the code is %+v", code)
		}
		if h.confirmed(t, mine) {
			t.Error("confirmed before")
		}
		if err := h.Confirm(h.Ctx, mine, " "+strings.ToLower(code.Code)); err != nil {
			t.Fatal(err)
		}
		if !h.confirmed(t, mine) || h.confirmed(t, other) {
			t.Error("not that visit, and that alone, is confirmed")
		}
		if err := h.Confirm(h.Ctx, other, code.Code); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("once more: %v", err)
		}
		h.Now = h.Now.Add(10*time.Minute - time.Millisecond)
		if !h.confirmed(t, mine) {
			t.Error("it ended early")
		}
		h.Now = h.Now.Add(time.Millisecond)
		if h.confirmed(t, mine) {
			t.Error("it has not ended")
		}
		entries, err := h.Audit(h.Ctx, h.self(), 0, 99)
		if err != nil || entries[len(entries)-1].Act != audit.Confirm || entries[len(entries)-1].Who != audit.Owner {
			t.Errorf("the log has %+v, %v", entries, err)
		}
	})
}

func TestConfirmEnds(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		mine := h.letIn(t)
		old, late := h.code(t), h.code(t)
		if err := h.Confirm(h.Ctx, mine, old.Code); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("a code that was replaced: %v", err)
		}
		h.Now = h.Now.Add(5 * time.Minute)
		if err := h.Confirm(h.Ctx, mine, late.Code); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("after five minutes: %v", err)
		}
		if err := h.Confirm(h.Ctx, mine, h.code(t).Code); err != nil {
			t.Fatal(err)
		}
		if err := h.Leave(h.Ctx, mine); err != nil || h.confirmed(t, mine) {
			t.Errorf("who has left is confirmed: %v", err)
		}
		refused(t, "who has left", h.Confirm(h.Ctx, mine, h.code(t).Code))
		if _, err := h.Enter(h.Ctx, visit.Site{}, h.code(t).Code, ""); err == nil {
			t.Error("a code for a confirmation lets a browser in")
		}
		if err := h.Confirm(h.Ctx, h.letIn(t), h.invite(t).Code); err == nil {
			t.Error("a code for an entrance confirms")
		}
	})
}

// Nobody guesses a code: after five wrong ones the right one is refused, for ten minutes.
func TestConfirmTries(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		mine, other := h.letIn(t), h.letIn(t)
		code := h.code(t)
		wrong := "222222"
		if code.Code == wrong {
			wrong = "333333"
		}
		for range 5 {
			if err := h.Confirm(h.Ctx, mine, wrong); memory.KindOf(err) != memory.ForbiddenScope {
				t.Fatalf("a wrong code: %v", err)
			}
		}
		if err := h.Confirm(h.Ctx, mine, code.Code); memory.KindOf(err) != memory.RateLimited || h.confirmed(t, mine) {
			t.Errorf("after five tries: %v", err)
		}
		if err := h.Confirm(h.Ctx, other, code.Code); err != nil {
			t.Errorf("another visit: %v", err)
		}
		h.Now = h.Now.Add(10 * time.Minute)
		if err := h.Confirm(h.Ctx, mine, h.code(t).Code); err != nil {
			t.Errorf("ten minutes later: %v", err)
		}
	})
}

// The store keeps digests of codes, and what it keeps confirms nothing.
func TestConfirmKeepsNoSecret(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		mine, code := h.letIn(t), h.code(t)
		var kept []store.Session
		err := h.Store.View(h.Ctx, h.owner, func(r store.Reader) (err error) {
			kept, err = r.Sessions().SessionList()
			return err
		})
		if err != nil || len(kept) != 2 {
			t.Fatalf("%+v, %v", kept, err)
		}
		for _, s := range kept {
			if strings.Contains(s.Digest+s.Code+s.Label, code.Code) {
				t.Errorf("%+v holds the code", s)
			}
			if h.Confirm(h.Ctx, mine, s.Code) == nil {
				t.Error("a digest confirms")
			}
		}
		if _, err := h.IssueCode(h.Ctx, memory.Caller{Owner: h.owner, Role: memory.Agent}); err == nil {
			t.Error("an assistant makes codes")
		}
	})
}
