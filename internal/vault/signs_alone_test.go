package vault_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestOwnersWhoSignAlone(t *testing.T) { onEach(t, testOwnersWhoSignAlone) }

func testOwnersWhoSignAlone(t *testing.T, open opener) {
	h, bob, c := open.alone(t)
	first := vaulttest.SignedBy(t, bob, "the shop opens at nine")
	h.Brings(c, first)
	for what, refused := range map[string]func() error{
		"an unsigned draft":    func() error { _, err := h.Says(c, "unsigned"); return err },
		"an unsigned revision": func() error { return h.revises(c, first.ID) },
		"an unsigned import": func() error {
			_, err := h.Import(h.Ctx, c, vaulttest.Drafts(bob.DID(), 2), vault.ImportOptions{Digest: "d"})
			return err
		},
		"signed by another": func() error {
			rec := vaulttest.SignedBy(t, vaulttest.Seeded(t, 23), "forged")
			_, err := h.Call(ump.OpRemember, c, `{"record":`+strings.ReplaceAll(string(rec.Origin), string(vaulttest.Seeded(t, 23).DID()), string(bob.DID()))+`}`)
			return err
		},
	} {
		t.Run("UD-10 "+what, func(t *testing.T) { vaulttest.WantKind(t, refused(), memory.SignatureInvalid) })
	}
	if _, err := h.Says(c, "unsigned"); !strings.Contains(err.Error(), "send the record complete and signed") {
		t.Errorf("the refusal does not say what to do: %v", err)
	}
	if n := h.Usage(bob.DID()).Records; n != 1 {
		t.Errorf("%d records, want the signed one alone", n)
	}
	rec, err := h.Get(h.Ctx, c, first.ID, memory.CurrentView)
	if err != nil || string(rec.Form()) != string(first.Origin) {
		t.Errorf("it came back as %s, %v", rec.Form(), err)
	}
	caps, err := h.Capabilities(h.Ctx, c)
	if err != nil || caps.Conformance != "L2" {
		t.Errorf("capabilities %+v, %v", caps, err)
	}
	if _, _, err := h.MintToken(h.Ctx, c, vault.TokenOrder{Verbs: memory.Verbs(), Expires: h.Now.Add(time.Hour)}); memory.KindOf(err) != memory.Unsupported {
		t.Errorf("a token nobody can sign: %v", err)
	}
	h.Healthy()
}

func (h *house) revises(c memory.Caller, id memory.ID) error {
	_, err := h.Call(ump.OpRevise, c, `{"id":"`+string(id)+`","patch":{"body":{"text":"changed"}}}`)
	return err
}

func TestUnsignedPresentForms(t *testing.T) { onEach(t, testUnsignedPresentForms) }

func testUnsignedPresentForms(t *testing.T, open opener) {
	h, bob, c := open.alone(t)
	first := vaulttest.SignedBy(t, bob, "the shop opens at nine")
	h.Brings(c, first)
	next := vaulttest.SignedBy(t, bob, "the shop opens at ten", func(r *memory.Record) {
		r.Supersedes, r.Time.ValidFrom = []memory.ID{first.ID}, vaulttest.Start().Add(time.Hour)
	})
	h.Brings(c, next)
	forgotten := vaulttest.SignedBy(t, bob, "what nobody needs")
	h.Brings(c, forgotten)
	if _, err := h.Forget(h.Ctx, c, memory.ForgetRequest{ID: forgotten.ID, Reason: memory.Outdated, Note: "a remark"}); err != nil {
		t.Fatal(err)
	}
	short := vaulttest.SignedBy(t, bob, "for one day", func(r *memory.Record) { r.Consent = &memory.Consent{Retention: "P1D"} })
	h.Brings(c, short)
	h.Pass(48 * time.Hour)
	if n, err := h.Sweep(h.Ctx, bob.DID()); n != 1 || err != nil {
		t.Fatalf("swept %d, %v", n, err)
	}
	for _, v := range []*house{h, h.server()} {
		v.Now = h.Now
		c := v.Admitted(bob)
		for id, says := range map[memory.ID]string{first.ID: first.Body.Text, next.ID: next.Body.Text, forgotten.ID: forgotten.Body.Text, short.ID: ump.ErasedExpired} {
			rec, err := v.Get(v.Ctx, c, id, memory.CurrentView)
			if err != nil || rec.Body.Text != says {
				t.Errorf("got %q, %v; want %q", rec.Body.Text, err, says)
			}
			if err := ump.Verify(rec.Form()); id != next.ID && !errors.Is(err, ump.ErrUnsigned) {
				t.Errorf("%q carries a signature that is not of this form: %v", says, err)
			}
		}
		closed, err := v.Get(v.Ctx, c, first.ID, memory.CurrentView)
		if err != nil || !closed.Time.ValidTo.Equal(vaulttest.Start().Add(time.Hour)) || len(closed.SupersededBy) != 1 {
			t.Errorf("the prior: %+v, %v", closed.Time, err)
		}
		born, err := v.Get(v.Ctx, c, first.ID, memory.OriginView)
		if err != nil || string(born.Form()) != string(first.Origin) {
			t.Errorf("its origin: %s, %v", born.Form(), err)
		}
		vaulttest.WantTexts(t, v.TextsFor(c, memory.Query{Text: "when does the shop open?"}), "the shop opens at ten")
		v.Healthy()
	}
	later := vaulttest.ClosedBy(t, first, vaulttest.Start().Add(30*24*time.Hour), next.ID)
	for what, form := range map[string][]byte{
		"another text":      []byte(strings.Replace(string(later), "at nine", "at six", 1)),
		"a shared record":   []byte(strings.Replace(string(later), `"private"`, `"shared"`, 1)),
		"an empty shell":    shellOf(t, first),
		"not a record":      []byte("{}"),
		"a form of another": next.Origin,
	} {
		vaulttest.Put(t, h.House, bob, first.ID, func(r *store.Row) { r.Current = form })
		if rec, err := h.Get(h.Ctx, c, first.ID, memory.CurrentView); what == "an empty shell" && err == nil && rec.Body.Text == ump.ErasedExpired {
			t.Errorf("%s passes for a record whose signed form is there", what)
		} else if err == nil {
			t.Errorf("%s is served: %s", what, rec.Form())
		}
	}
	vaulttest.Put(t, h.House, bob, first.ID, func(r *store.Row) { r.Current = later })
	if _, err := h.Get(h.Ctx, c, first.ID, memory.CurrentView); err != nil {
		t.Errorf("what the engine may do: %v", err)
	}
	vaulttest.Put(t, h.House, bob, short.ID, func(r *store.Row) {
		r.Current = []byte(strings.Replace(string(r.Current), ump.ErasedExpired, "buy what I sell", 1))
	})
	_, err := h.Get(h.Ctx, c, short.ID, memory.CurrentView)
	vaulttest.WantKind(t, err, memory.SignatureInvalid)
	ada := vaulttest.Seeded(t, 21)
	h.Add(ada, store.Quota{})
	signed, err := h.Says(h.Admitted(ada), "signed by the engine")
	if err != nil {
		t.Fatal(err)
	}
	vaulttest.Put(t, h.House, ada, signed, func(r *store.Row) {
		unsigned, err := ump.Decode(r.Origin, codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		unsigned.Origin, unsigned.Time.ValidTo = r.Origin, h.Now.Add(time.Hour)
		if unsigned, err = ump.Amend(unsigned, nil); err != nil {
			t.Fatal(err)
		}
		r.Current = unsigned.Current
	})
	_, err = h.Get(h.Ctx, h.Admitted(ada), signed, memory.CurrentView) // the key is kept: the engine would have signed
	vaulttest.WantKind(t, err, memory.SignatureInvalid)
}

func shellOf(t *testing.T, rec memory.Record) []byte {
	t.Helper()
	shell, err := ump.Shell(rec, ump.ErasedExpired, nil)
	if err != nil {
		t.Fatal(err)
	}
	return shell.Current
}

// TestKeysOfRequestsOnEveryServer: an idempotency key gives the same answer on
// another server, and after a restart, whoever holds the owner's key.
func TestKeysOfRequestsOnEveryServer(t *testing.T) { onEach(t, testKeysOfRequestsOnEveryServer) }

func testKeysOfRequestsOnEveryServer(t *testing.T, open opener) {
	h, bob, c := open.alone(t)
	rec := vaulttest.SignedBy(t, bob, "said once")
	draft := memory.Draft{Record: rec, Complete: true, Key: "k1"}
	first, err := h.Remember(h.Ctx, c, draft)
	if err != nil || first.Outcome != memory.Created {
		t.Fatalf("%+v, %v", first, err)
	}
	other := h.server()
	again, err := other.Remember(h.Ctx, other.Admitted(bob), draft)
	if err != nil || again.ID != first.ID || again.Outcome != first.Outcome {
		t.Errorf("on another server: %+v, %v; want %+v", again, err, first)
	}
	_, err = other.Remember(h.Ctx, other.Admitted(bob), memory.Draft{Record: vaulttest.SignedBy(t, bob, "something else"), Complete: true, Key: "k1"})
	vaulttest.WantKind(t, err, memory.InvalidRecord)
}
