package visit_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

var public = visit.Site{Host: "memory.example", Origin: "https://memory.example", Name: "memory.example"}

// A cookie is good at the site where its browser was let in, and at no other of this server.
func TestCookieIsOfItsSite(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		other := visit.Site{Host: "other.example", Origin: "https://other.example", Name: "other.example"}
		const at, elsewhere = "@memory.example", "@other.example"
		local := h.letIn(t)
		remote, err := h.Enter(h.Ctx, public, h.invite(t).Secret, "")
		if err != nil {
			t.Fatal(err)
		}
		for cookie, good := range map[string]bool{local: true, local + at: false, remote: false, remote + at: true, remote + elsewhere: false, remote + at + elsewhere: false, local + "@": false} {
			c, err := h.Resume(h.Ctx, cookie)
			if !good {
				refused(t, "a cookie of another site", err)
			} else if err != nil || c != h.self() {
				t.Errorf("%+v, %v", c, err)
			}
		}
		d := newDevice(t, public)
		question, err := h.OfferPasskey(h.Ctx, remote+at, public)
		if err == nil {
			err = h.AddPasskey(h.Ctx, remote+at, public, "", d.make(t, question))
		}
		if err != nil {
			t.Fatal(err)
		}
		byKey, err := h.EnterByPasskey(h.Ctx, public, "", d.sign(t, h.question(t)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Resume(h.Ctx, byKey+at); err != nil {
			t.Errorf("by a passkey: %v", err)
		}
		_, err = h.Resume(h.Ctx, byKey)
		refused(t, "by a passkey, at this machine's pages", err)
		if err := h.Confirm(h.Ctx, byKey, h.code(t).Code); memory.KindOf(err) != memory.Unauthorized {
			t.Errorf("confirming elsewhere: %v", err)
		}
		if err := h.Leave(h.Ctx, remote); err != nil {
			t.Error(err)
		}
		if _, err := h.Resume(h.Ctx, remote+at); err != nil {
			t.Errorf("leaving elsewhere ended it: %v", err)
		}
		_, err = h.EnterByPasskey(h.Ctx, other, "", d.sign(t, h.question(t)))
		refused(t, "a passkey of another site", err)
	})
}

// At a public name the code of a terminal lets one browser in, confirmed, for minutes.
func TestEnterByConfirmation(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		code := h.code(t)
		cookie, err := h.Enter(h.Ctx, public, " "+code.Code[:3]+"-"+code.Code[3:], "Firefox on Linux")
		if err != nil {
			t.Fatal(err)
		}
		cookie += "@memory.example"
		if c, err := h.Resume(h.Ctx, cookie); err != nil || c != h.self() || !h.confirmed(t, cookie) {
			t.Errorf("%+v, %v", c, err)
		}
		entries, err := h.Audit(h.Ctx, h.self(), 0, 99)
		if n := len(entries); err != nil || n < 2 || entries[n-2].Act != audit.Enter || entries[n-1].Act != audit.Confirm {
			t.Errorf("the log has %+v, %v", entries, err)
		}
		_, err = h.Enter(h.Ctx, public, code.Code, "")
		refused(t, "the code again", err)
		late := h.code(t)
		_, err = h.Enter(h.Ctx, visit.Site{}, late.Code, "")
		refused(t, "a code at this machine's own pages", err)
		h.Now = h.Now.Add(5 * time.Minute)
		_, err = h.Enter(h.Ctx, public, late.Code, "")
		refused(t, "after five minutes", err)
	})
}

// Nobody guesses the code: after five wrong ones it lets nobody in, however they came, and the
// owner still confirms with it. Without a code a guess is not even stored.
func TestEnterByConfirmationTries(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		mine := h.letIn(t)
		rows := func() (n int) {
			err := h.Store.View(h.Ctx, h.owner, func(r store.Reader) error {
				list, err := r.Sessions().SessionList()
				n = len(list)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := rows()
		_, err := h.Enter(h.Ctx, public, "222222", "")
		refused(t, "a guess without a code", err)
		if n := rows(); n != before {
			t.Errorf("a guess left %d rows", n-before)
		}
		code := h.code(t)
		wrong := "222222"
		if code.Code == wrong {
			wrong = "333333"
		}
		for range 5 {
			_, err := h.Enter(h.Ctx, public, wrong, "")
			refused(t, "a wrong code", err)
		}
		for _, tried := range []string{wrong, code.Code} {
			if _, err := h.Enter(h.Ctx, public, tried, ""); memory.KindOf(err) != memory.RateLimited {
				t.Errorf("after five tries: %v", err)
			}
		}
		if err := h.Confirm(h.Ctx, mine, code.Code); err != nil {
			t.Errorf("the owner cannot confirm: %v", err)
		}
		if _, err := h.Enter(h.Ctx, public, h.code(t).Code, ""); err != nil {
			t.Errorf("a new code: %v", err)
		}
	})
}
