package visit_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// house is a vault whose owner lets browsers in.
type house struct {
	*vaulttest.House
	*visit.Service
	owner memory.DID
}

func onEach(t *testing.T, test func(*testing.T, house)) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		h := open(t)
		test(t, house{h, visit.New(h.Vault), h.Key.DID()})
	})
}

func (h house) self() memory.Caller { return memory.Caller{Owner: h.owner, Role: memory.Owner} }

func (h house) invite(t *testing.T) visit.Entrance {
	t.Helper()
	e, err := h.Invite(h.Ctx, h.self())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (h house) letIn(t *testing.T) string {
	t.Helper()
	cookie, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, h.invite(t).Secret, "Firefox on Linux")
	if err != nil {
		t.Fatal(err)
	}
	return cookie
}

// refused fails unless an error lets nobody in, as every other does.
func refused(t *testing.T, what string, err error) {
	t.Helper()
	if memory.KindOf(err) != memory.Unauthorized || !strings.Contains(err.Error(), "this lets nobody in") {
		t.Errorf("%s: %v", what, err)
	}
}

func TestEntranceIsGoodOnce(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		e := h.invite(t)
		wrong := []byte(e.Secret)
		wrong[7] ^= 1
		for name, secret := range map[string]string{"nothing": "", "another": string(wrong), "its digest": "0000", "more": e.Secret + "=", "the code with a letter changed": "ZZZZ" + e.Code[4:]} {
			_, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, secret, "")
			refused(t, name, err)
		}
		cookie, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, e.Secret, "")
		if err != nil || len(cookie) < 43 || cookie == e.Secret {
			t.Fatalf("%q, %v", cookie, err)
		}
		for name, secret := range map[string]string{"the link again": e.Secret, "its code": e.Code, "a cookie": cookie} {
			_, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, secret, "")
			refused(t, name, err)
		}
		c, err := h.Resume(h.Ctx, h.owner, cookie)
		if err != nil || c.Owner != h.owner || c.Role != memory.Owner {
			t.Errorf("%+v, %v", c, err)
		}
		_, err = h.Resume(h.Ctx, h.owner, h.invite(t).Secret)
		refused(t, "an entrance as a cookie", err)
	})
}

func TestEntranceEnds(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		e := h.invite(t)
		if !e.Ends.Equal(h.Now.Add(5 * time.Minute)) {
			t.Errorf("it ends at %v", e.Ends)
		}
		h.Now = h.Now.Add(5*time.Minute - time.Millisecond)
		other := h.invite(t)
		if _, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, e.Secret, ""); err != nil {
			t.Errorf("within its time: %v", err)
		}
		h.Now = h.Now.Add(5 * time.Minute)
		_, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, other.Secret, "")
		refused(t, "after its time", err)
		_, err = h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, other.Code, "")
		refused(t, "the code after its time", err)
	})
}

func TestCodeIsTyped(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		for _, typed := range []func(string) string{
			func(code string) string { return code }, strings.ToLower,
			func(code string) string { return " " + strings.ReplaceAll(code, "-", " ") + "\n" },
			func(code string) string { return strings.NewReplacer("0", "o", "1", "l").Replace(code) },
		} {
			e := h.invite(t)
			if len(e.Code) != 14 {
				t.Errorf("the code is %q", e.Code)
			}
			if _, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, typed(e.Code), ""); err != nil {
				t.Errorf("%q for %q: %v", typed(e.Code), e.Code, err)
			}
		}
	})
}

// Many who show the same link at once: one is let in.
func TestEntranceIsSpentOnce(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		e := h.invite(t)
		var in sync.Map
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if cookie, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, e.Secret, ""); err == nil {
					in.Store(cookie, true)
				}
			})
		}
		all.Wait()
		n := 0
		in.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Errorf("%d were let in", n)
		}
	})
}

func TestVisitEnds(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		idle, busy := h.letIn(t), h.letIn(t)
		start := h.Now
		for h.Now.Before(start.Add(7*24*time.Hour - 11*time.Hour)) {
			if _, err := h.Resume(h.Ctx, h.owner, busy); err != nil {
				t.Fatalf("after %v: %v", h.Now.Sub(start), err)
			}
			h.Now = h.Now.Add(11 * time.Hour)
		}
		if _, err := h.Resume(h.Ctx, h.owner, busy); err != nil {
			t.Fatal(err)
		}
		_, err := h.Resume(h.Ctx, h.owner, idle)
		refused(t, "after half a day without use", err)
		h.Now = start.Add(7*24*time.Hour - time.Millisecond)
		if _, err := h.Resume(h.Ctx, h.owner, busy); err != nil {
			t.Errorf("within a week: %v", err)
		}
		h.Now = start.Add(7 * 24 * time.Hour)
		_, err = h.Resume(h.Ctx, h.owner, busy)
		refused(t, "after a week", err)

		later := h.letIn(t)
		h.Now = h.Now.Add(12 * time.Hour)
		_, err = h.Resume(h.Ctx, h.owner, later)
		refused(t, "after twelve hours", err)
	})
}

func TestLeave(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		one, two, three := h.letIn(t), h.letIn(t), h.letIn(t)
		left := h.invite(t)
		if err := h.Leave(h.Ctx, h.owner, one); err != nil {
			t.Fatal(err)
		}
		_, err := h.Resume(h.Ctx, h.owner, one)
		refused(t, "who has left", err)
		if _, err := h.Resume(h.Ctx, h.owner, two); err != nil {
			t.Errorf("another: %v", err)
		}
		if n, err := h.LeaveAll(h.Ctx, h.self()); n != 2 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		for _, cookie := range []string{two, three} {
			_, err := h.Resume(h.Ctx, h.owner, cookie)
			refused(t, "who was turned out", err)
		}
		_, err = h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, left.Secret, "")
		refused(t, "a link from before", err)
		if err := h.Leave(h.Ctx, h.owner, one); err != nil {
			t.Errorf("once more: %v", err)
		}
		entries, err := h.Audit(h.Ctx, h.self(), 0, 99)
		if err != nil {
			t.Fatal(err)
		}
		var acts []audit.Act
		for _, e := range entries {
			if e.Act == audit.Enter || e.Act == audit.Leave {
				acts = append(acts, e.Act)
			}
		}
		if len(acts) != 5 || acts[3] != audit.Leave || acts[4] != audit.Leave {
			t.Errorf("the log has %v", acts)
		}
	})
}

// What the store keeps lets nobody in.
func TestStoreKeepsNoSecret(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		cookie, e := h.letIn(t), h.invite(t)
		err := h.Store.View(h.Ctx, h.owner, func(r store.Reader) error {
			list, err := r.Sessions().SessionList()
			if len(list) != 2 {
				t.Errorf("%+v", list)
			}
			for _, s := range list {
				for _, secret := range []string{cookie, e.Secret, e.Code} {
					if strings.Contains(s.Digest+s.Code+s.Label, secret) {
						t.Errorf("%+v holds a secret", s)
					}
				}
				for _, kept := range []string{s.Digest, s.Code} {
					_, err := h.Enter(h.Ctx, memory.Caller{Owner: h.owner}, kept, "")
					refused(t, "a digest", err)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Only the owner in person lets browsers in, and only to the own memory.
func TestWhose(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		for _, c := range []memory.Caller{{Owner: h.owner, Role: memory.Agent}, {Owner: h.owner, Role: memory.Peer}, {}} {
			if _, err := h.Invite(h.Ctx, c); err == nil {
				t.Errorf("%+v invites", c)
			}
			if _, err := h.LeaveAll(h.Ctx, c); err == nil {
				t.Errorf("%+v turns out", c)
			}
		}
		cookie, e := h.letIn(t), h.invite(t)
		const other memory.DID = "did:key:other"
		_, err := h.Resume(h.Ctx, other, cookie)
		refused(t, "a cookie of another owner", err)
		_, err = h.Enter(h.Ctx, memory.Caller{Owner: other}, e.Secret, "")
		refused(t, "a link of another owner", err)
	})
}
