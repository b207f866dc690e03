package visit_test

import (
	"crypto/rand"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
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
	e, err := h.Invite(h.Ctx, h.self(), visit.ForLink)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (h house) letIn(t *testing.T) string {
	t.Helper()
	cookie, err := h.Enter(h.Ctx, visit.Site{}, h.invite(t).Secret, "Firefox on Linux")
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
			_, err := h.Enter(h.Ctx, visit.Site{}, secret, "")
			refused(t, name, err)
		}
		cookie, err := h.Enter(h.Ctx, visit.Site{}, e.Secret, "")
		if err != nil || len(cookie) < 43 || cookie == e.Secret {
			t.Fatalf("%q, %v", cookie, err)
		}
		for name, secret := range map[string]string{"the link again": e.Secret, "its code": e.Code, "a cookie": cookie} {
			_, err := h.Enter(h.Ctx, visit.Site{}, secret, "")
			refused(t, name, err)
		}
		c, err := h.Resume(h.Ctx, cookie)
		if err != nil || c.Owner != h.owner || c.Role != memory.Owner {
			t.Errorf("%+v, %v", c, err)
		}
		_, err = h.Resume(h.Ctx, h.invite(t).Secret)
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
		if _, err := h.Enter(h.Ctx, visit.Site{}, e.Secret, ""); err != nil {
			t.Errorf("within its time: %v", err)
		}
		h.Now = h.Now.Add(5 * time.Minute)
		_, err := h.Enter(h.Ctx, visit.Site{}, other.Secret, "")
		refused(t, "after its time", err)
		_, err = h.Enter(h.Ctx, visit.Site{}, other.Code, "")
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
			if _, err := h.Enter(h.Ctx, visit.Site{}, typed(e.Code), ""); err != nil {
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
				if cookie, err := h.Enter(h.Ctx, visit.Site{}, e.Secret, ""); err == nil {
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
			if _, err := h.Resume(h.Ctx, busy); err != nil {
				t.Fatalf("after %v: %v", h.Now.Sub(start), err)
			}
			h.Now = h.Now.Add(11 * time.Hour)
		}
		if _, err := h.Resume(h.Ctx, busy); err != nil {
			t.Fatal(err)
		}
		_, err := h.Resume(h.Ctx, idle)
		refused(t, "after half a day without use", err)
		h.Now = start.Add(7*24*time.Hour - time.Millisecond)
		if _, err := h.Resume(h.Ctx, busy); err != nil {
			t.Errorf("within a week: %v", err)
		}
		h.Now = start.Add(7 * 24 * time.Hour)
		_, err = h.Resume(h.Ctx, busy)
		refused(t, "after a week", err)

		later := h.letIn(t)
		h.Now = h.Now.Add(12 * time.Hour)
		_, err = h.Resume(h.Ctx, later)
		refused(t, "after twelve hours", err)
	})
}

func TestLeave(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		one, two, three := h.letIn(t), h.letIn(t), h.letIn(t)
		left := h.invite(t)
		if err := h.Leave(h.Ctx, one); err != nil {
			t.Fatal(err)
		}
		_, err := h.Resume(h.Ctx, one)
		refused(t, "who has left", err)
		if _, err := h.Resume(h.Ctx, two); err != nil {
			t.Errorf("another: %v", err)
		}
		if n, err := h.LeaveAll(h.Ctx, h.self()); n != 2 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		for _, cookie := range []string{two, three} {
			_, err := h.Resume(h.Ctx, cookie)
			refused(t, "who was turned out", err)
		}
		_, err = h.Enter(h.Ctx, visit.Site{}, left.Secret, "")
		refused(t, "a link from before", err)
		if err := h.Leave(h.Ctx, one); err != nil {
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
					_, err := h.Enter(h.Ctx, visit.Site{}, kept, "")
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
			if _, err := h.Invite(h.Ctx, c, visit.ForLink); err == nil {
				t.Errorf("%+v invites", c)
			}
			if _, err := h.LeaveAll(h.Ctx, c); err == nil {
				t.Errorf("%+v turns out", c)
			}
		}
		cookie, e := h.letIn(t), h.invite(t)
		for _, other := range []string{".did:key:other", "." + string(h.owner), ".", "..", ".\x00"} {
			_, err := h.Resume(h.Ctx, cookie+other)
			refused(t, "a cookie with another owner", err)
			_, err = h.Enter(h.Ctx, visit.Site{}, e.Secret+other, "")
			refused(t, "a link with another owner", err)
		}
	})
}

// A token of the owner's own opens the pages that it names as its audience, and no others.
func TestExchange(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		const here, elsewhere = "https://memory.example", "https://evil.example"
		token := func(change func(*ump.Claims)) string {
			c := ump.Claims{Issuer: h.owner, Subject: string(h.owner), Audience: here, Verbs: memory.Verbs(), ID: rand.Text(), Expires: h.Now.Add(time.Minute)}
			change(&c)
			text, err := ump.MintToken(c, h.Key)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		e, err := h.Exchange(h.Ctx, token(func(*ump.Claims) {}), here)
		if err != nil || !e.Ends.Equal(h.Now.Add(visit.ForLink)) {
			t.Fatalf("%+v, %v", e, err)
		}
		if _, err := h.Enter(h.Ctx, visit.Site{}, e.Secret, ""); err != nil {
			t.Error(err)
		}
		for name, text := range map[string]string{
			"nothing":             "",
			"for another server":  token(func(c *ump.Claims) { c.Audience = elsewhere }),
			"for any server":      token(func(c *ump.Claims) { c.Audience = "" }),
			"expired":             token(func(c *ump.Claims) { c.Expires = h.Now.Add(-time.Hour) }),
			"of an assistant":     token(func(c *ump.Claims) { c.Subject = "" }),
			"that may only read":  token(func(c *ump.Claims) { c.Subject, c.Verbs = "", []memory.Verb{memory.ReadVerb} }),
			"changed on the way":  token(func(*ump.Claims) {})[:80] + "x",
			"of an owner unknown": foreign(t, h, here),
		} {
			_, err := h.Exchange(h.Ctx, text, here)
			refused(t, "a token "+name, err)
		}
	})
}

// foreign returns a token of somebody whom this vault does not know.
func foreign(t *testing.T, h house, audience string) string {
	t.Helper()
	key, err := keys.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := ump.MintToken(ump.Claims{Issuer: key.DID(), Subject: string(key.DID()), Audience: audience, Verbs: memory.Verbs(), ID: "x", Expires: h.Now.Add(time.Minute)}, key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A server that was started anew has not heard of an owner. It lets the owner's browsers in,
// and keeps what they send.
func TestEnterAfterARestart(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		key := vaulttest.Seeded(t, 91)
		if _, err := h.AddOwner(h.Ctx, h.self(), vault.AccountOrder{Key: key, Label: "ada"}); err != nil {
			t.Fatal(err)
		}
		ada := memory.Caller{Owner: key.DID(), Role: memory.Owner}
		e, err := h.Invite(h.Ctx, ada, visit.ForInvitation)
		if err != nil {
			t.Fatal(err)
		}
		anew := func() *vault.Vault {
			return vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Owner: h.owner, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true})
		}
		cookie, err := visit.New(anew()).Enter(h.Ctx, visit.Site{}, e.Secret, "")
		if err != nil {
			t.Fatal(err)
		}
		h.Now = h.Now.Add(10 * time.Minute) // the time of the last use is written again
		v := anew()
		c, err := visit.New(v).Resume(h.Ctx, cookie)
		if err != nil || c != ada {
			t.Fatalf("%+v, %v", c, err)
		}
		if _, err := v.Remember(h.Ctx, c, memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "quinces"}}}); err != nil {
			t.Errorf("remembering: %v", err)
		}
		if err := visit.New(anew()).Leave(h.Ctx, cookie); err != nil {
			t.Errorf("leaving: %v", err)
		}
	})
}
