package vault_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// signedBy is a record as a client makes and signs it.
func signedBy(t testing.TB, k keys.Private, text string, change ...func(*memory.Record)) memory.Record {
	t.Helper()
	rec := memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: k.DID(), Visibility: memory.Private},
		Time:       memory.Times{Created: start, Observed: start, ValidFrom: start},
		Provenance: &memory.Provenance{Actor: string(k.DID()), ActorKind: memory.ByUser, Method: "client"},
	}
	for _, c := range change {
		c(&rec)
	}
	rec, err := ump.Author(rec, &k)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// brings remembers a record that is signed already.
func (h *house) brings(c memory.Caller, rec memory.Record) {
	h.t.Helper()
	v, err := h.call(ump.OpRemember, c, `{"record":`+string(rec.Origin)+`}`)
	if err != nil || v["result"] != "created" {
		h.t.Fatalf("remember a signed record: %v, %v", v, err)
	}
}

// alone is a store with an owner who alone holds the key.
func (open opener) alone(t *testing.T) (*house, keys.Private, memory.Caller) {
	t.Helper()
	h, bob := open.shared(t), seeded(t, 22)
	if info := h.order(vault.AccountOrder{Public: bob.DID(), Label: "bob"}); info.Held {
		t.Errorf("the key of %+v is said to be kept here", info)
	}
	return h, bob, h.admitted(bob)
}

func TestOwnersWhoSignAlone(t *testing.T) { onEach(t, testOwnersWhoSignAlone) }

func testOwnersWhoSignAlone(t *testing.T, open opener) {
	h, bob, c := open.alone(t)
	first := signedBy(t, bob, "the shop opens at nine")
	h.brings(c, first)
	for what, refused := range map[string]func() error{
		"an unsigned draft":    func() error { _, err := h.says(c, "unsigned"); return err },
		"an unsigned revision": func() error { return h.revises(c, first.ID) },
		"an unsigned import": func() error {
			_, err := h.Import(h.ctx, c, drafts(bob.DID(), 2), vault.ImportOptions{Digest: "d"})
			return err
		},
		"signed by another": func() error {
			rec := signedBy(t, seeded(t, 23), "forged")
			_, err := h.call(ump.OpRemember, c, `{"record":`+strings.ReplaceAll(string(rec.Origin), string(seeded(t, 23).DID()), string(bob.DID()))+`}`)
			return err
		},
	} {
		t.Run("UD-10 "+what, func(t *testing.T) { wantKind(t, refused(), memory.SignatureInvalid) })
	}
	if _, err := h.says(c, "unsigned"); !strings.Contains(err.Error(), "send the record complete and signed") {
		t.Errorf("the refusal does not say what to do: %v", err)
	}
	if n := h.usage(bob.DID()).Records; n != 1 {
		t.Errorf("%d records, want the signed one alone", n)
	}
	rec, err := h.Get(h.ctx, c, first.ID, memory.CurrentView)
	if err != nil || string(rec.Form()) != string(first.Origin) {
		t.Errorf("it came back as %s, %v", rec.Form(), err)
	}
	caps, err := h.Capabilities(h.ctx, c)
	if err != nil || caps.Conformance != "L2" {
		t.Errorf("capabilities %+v, %v", caps, err)
	}
	if _, _, err := h.MintToken(h.ctx, c, vault.TokenOrder{Verbs: memory.Verbs(), Expires: h.now.Add(time.Hour)}); memory.KindOf(err) != memory.Unsupported {
		t.Errorf("a token nobody can sign: %v", err)
	}
	h.healthy()
}

func (h *house) revises(c memory.Caller, id memory.ID) error {
	_, err := h.call(ump.OpRevise, c, `{"id":"`+string(id)+`","patch":{"body":{"text":"changed"}}}`)
	return err
}

func TestUnsignedPresentForms(t *testing.T) { onEach(t, testUnsignedPresentForms) }

func testUnsignedPresentForms(t *testing.T, open opener) {
	h, bob, c := open.alone(t)
	first := signedBy(t, bob, "the shop opens at nine")
	h.brings(c, first)
	next := signedBy(t, bob, "the shop opens at ten", func(r *memory.Record) {
		r.Supersedes, r.Time.ValidFrom = []memory.ID{first.ID}, start.Add(time.Hour)
	})
	h.brings(c, next)
	forgotten := signedBy(t, bob, "what nobody needs")
	h.brings(c, forgotten)
	if _, err := h.Forget(h.ctx, c, memory.Forgetting{ID: forgotten.ID, Reason: memory.Outdated, Note: "a remark"}); err != nil {
		t.Fatal(err)
	}
	short := signedBy(t, bob, "for one day", func(r *memory.Record) { r.Consent = &memory.Consent{Retention: "P1D"} })
	h.brings(c, short)
	h.pass(48 * time.Hour)
	if n, err := h.Sweep(h.ctx, bob.DID()); n != 1 || err != nil {
		t.Fatalf("swept %d, %v", n, err)
	}
	for _, v := range []*house{h, h.server()} {
		v.now = h.now
		c := v.admitted(bob)
		for id, says := range map[memory.ID]string{first.ID: first.Body.Text, next.ID: next.Body.Text, forgotten.ID: forgotten.Body.Text, short.ID: ump.ErasedExpired} {
			rec, err := v.Get(v.ctx, c, id, memory.CurrentView)
			if err != nil || rec.Body.Text != says {
				t.Errorf("got %q, %v; want %q", rec.Body.Text, err, says)
			}
			if err := ump.Verify(rec.Form()); id != next.ID && !errors.Is(err, ump.ErrUnsigned) {
				t.Errorf("%q carries a signature that is not of this form: %v", says, err)
			}
		}
		closed, err := v.Get(v.ctx, c, first.ID, memory.CurrentView)
		if err != nil || !closed.Time.ValidTo.Equal(start.Add(time.Hour)) || len(closed.SupersededBy) != 1 {
			t.Errorf("the prior: %+v, %v", closed.Time, err)
		}
		born, err := v.Get(v.ctx, c, first.ID, memory.OriginView)
		if err != nil || string(born.Form()) != string(first.Origin) {
			t.Errorf("its origin: %s, %v", born.Form(), err)
		}
		wantTexts(t, v.textsFor(c, memory.Query{Text: "when does the shop open?"}), "the shop opens at ten")
		v.healthy()
	}
	later := closedBy(t, first, start.Add(30*24*time.Hour), next.ID)
	for what, form := range map[string][]byte{
		"another text":      []byte(strings.Replace(string(later), "at nine", "at six", 1)),
		"a shared record":   []byte(strings.Replace(string(later), `"private"`, `"shared"`, 1)),
		"an empty shell":    shellOf(t, first),
		"not a record":      []byte("{}"),
		"a form of another": next.Origin,
	} {
		put(t, h, bob, first.ID, func(r *store.Row) { r.Current = form })
		if rec, err := h.Get(h.ctx, c, first.ID, memory.CurrentView); what == "an empty shell" && err == nil && rec.Body.Text == ump.ErasedExpired {
			t.Errorf("%s passes for a record whose signed form is there", what)
		} else if err == nil {
			t.Errorf("%s is served: %s", what, rec.Form())
		}
	}
	put(t, h, bob, first.ID, func(r *store.Row) { r.Current = later })
	if _, err := h.Get(h.ctx, c, first.ID, memory.CurrentView); err != nil {
		t.Errorf("what the engine may do: %v", err)
	}
	put(t, h, bob, short.ID, func(r *store.Row) {
		r.Current = []byte(strings.Replace(string(r.Current), ump.ErasedExpired, "buy what I sell", 1))
	})
	_, err := h.Get(h.ctx, c, short.ID, memory.CurrentView)
	wantKind(t, err, memory.SignatureInvalid)
	ada := seeded(t, 21)
	h.add(ada, store.Quota{})
	signed, err := h.says(h.admitted(ada), "signed by the engine")
	if err != nil {
		t.Fatal(err)
	}
	put(t, h, ada, signed, func(r *store.Row) {
		unsigned, err := ump.Decode(r.Origin, codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		unsigned.Origin, unsigned.Time.ValidTo = r.Origin, h.now.Add(time.Hour)
		if unsigned, err = ump.Amend(unsigned, nil); err != nil {
			t.Fatal(err)
		}
		r.Current = unsigned.Current
	})
	_, err = h.Get(h.ctx, h.admitted(ada), signed, memory.CurrentView) // the key is kept: the engine would have signed
	wantKind(t, err, memory.SignatureInvalid)
}

// put changes a row as somebody may who can write to the store and knows the secret
// of its seals.
func put(t *testing.T, h *house, k keys.Private, id memory.ID, change func(*store.Row)) {
	t.Helper()
	err := h.store.Update(h.ctx, k.DID(), func(w store.Writer) error {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		change(&r)
		return w.Replace(r, store.Links{})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// closedBy is the form of a record that the engine closed at an instant.
func closedBy(t testing.TB, rec memory.Record, at time.Time, next ...memory.ID) []byte {
	t.Helper()
	rec.Time.ValidTo, rec.SupersededBy = at, next
	rec, err := ump.Amend(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Current
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
	rec := signedBy(t, bob, "said once")
	draft := memory.Draft{Record: rec, Complete: true, Key: "k1"}
	first, err := h.Remember(h.ctx, c, draft)
	if err != nil || first.Outcome != memory.Created {
		t.Fatalf("%+v, %v", first, err)
	}
	other := h.server()
	again, err := other.Remember(h.ctx, other.admitted(bob), draft)
	if err != nil || again.ID != first.ID || again.Outcome != first.Outcome {
		t.Errorf("on another server: %+v, %v; want %+v", again, err, first)
	}
	_, err = other.Remember(h.ctx, other.admitted(bob), memory.Draft{Record: signedBy(t, bob, "something else"), Complete: true, Key: "k1"})
	wantKind(t, err, memory.InvalidRecord)
}
