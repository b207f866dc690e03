package visit_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// device keeps one passkey, as a phone does (WebAuthn level 3, sections 5 and 6).
type device struct {
	key    *ecdsa.PrivateKey
	id     []byte
	user   []byte
	count  uint32
	host   string
	origin string
	flags  byte // of what its user did
}

const (
	present  = 1
	verified = 4
	attested = 64
)

func newDevice(t *testing.T, at visit.Site) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &device{key: key, id: []byte(rand.Text()), host: at.Host, origin: at.Origin, flags: present | verified}
}

func text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// client is what a browser says of the page that asks.
func (d *device) client(t *testing.T, kind string, question []byte) []byte {
	t.Helper()
	var asked struct{ Challenge string }
	if err := json.Unmarshal(question, &asked); err != nil || asked.Challenge == "" {
		t.Fatalf("%s: %v", question, err)
	}
	said, err := json.Marshal(map[string]any{"type": kind, "challenge": asked.Challenge, "origin": d.origin, "crossOrigin": false})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

func (d *device) data(flags byte) []byte {
	host := sha256.Sum256([]byte(d.host))
	d.count++
	return binary.BigEndian.AppendUint32(append(host[:], flags), d.count)
}

// make answers a question for a new passkey.
func (d *device) make(t *testing.T, question []byte) []byte {
	t.Helper()
	var asked struct{ User struct{ ID string } }
	if err := json.Unmarshal(question, &asked); err != nil {
		t.Fatal(err)
	}
	d.user, _ = base64.RawURLEncoding.DecodeString(asked.User.ID)
	raw, err := d.key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	public, err := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: raw[1:33], -3: raw[33:]})
	if err != nil {
		t.Fatal(err)
	}
	data := d.data(d.flags | attested)
	data = append(data, make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.id)))
	data = append(append(data, d.id...), public...)
	object, err := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	if err != nil {
		t.Fatal(err)
	}
	return d.answer(t, map[string]any{"clientDataJSON": text(d.client(t, "webauthn.create", question)), "attestationObject": text(object)})
}

// sign answers a question for the passkey.
func (d *device) sign(t *testing.T, question []byte) []byte {
	t.Helper()
	client, data := d.client(t, "webauthn.get", question), d.data(d.flags)
	hash := sha256.Sum256(client)
	message := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, message[:])
	if err != nil {
		t.Fatal(err)
	}
	return d.answer(t, map[string]any{"clientDataJSON": text(client), "authenticatorData": text(data), "signature": text(signature), "userHandle": text(d.user)})
}

func (d *device) answer(t *testing.T, response map[string]any) []byte {
	t.Helper()
	said, err := json.Marshal(map[string]any{"id": text(d.id), "rawId": text(d.id), "type": "public-key", "clientExtensionResults": map[string]any{}, "response": response})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

var here = visit.Site{Host: "memory.example", Origin: "https://memory.example"}

// add gives a device a passkey of the owner's.
func (h house) add(t *testing.T, d *device) {
	t.Helper()
	cookie := h.letIn(t)
	question, err := h.OfferPasskey(h.Ctx, cookie, here)
	if err == nil {
		err = h.AddPasskey(h.Ctx, cookie, here, "Firefox on Linux", d.make(t, question))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (h house) question(t *testing.T) []byte {
	t.Helper()
	question, err := h.AskPasskey(h.Ctx, here)
	if err != nil {
		t.Fatal(err)
	}
	return question
}

// A device lets browsers in until its passkey is removed (A15).
func TestPasskey(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		d := newDevice(t, here)
		h.add(t, d)
		if _, err := h.LeaveAll(h.Ctx, h.self()); err != nil {
			t.Fatal(err)
		}
		cookie, err := h.EnterByPasskey(h.Ctx, here, "Firefox on Linux", d.sign(t, h.question(t)))
		if err != nil {
			t.Fatal(err)
		}
		if c, err := h.Resume(h.Ctx, cookie); err != nil || c != h.self() {
			t.Errorf("%+v, %v", c, err)
		}
		if h.confirmed(t, cookie) {
			t.Error("whoever enters is confirmed")
		}
		if err := h.ConfirmByPasskey(h.Ctx, cookie, here, d.sign(t, h.question(t))); err != nil || !h.confirmed(t, cookie) {
			t.Errorf("confirming: %v", err)
		}
		keys, err := h.Passkeys(h.Ctx, h.self())
		if err != nil || len(keys) != 1 || keys[0].Label != "Firefox on Linux" {
			t.Fatalf("%+v, %v", keys, err)
		}
		if err := h.DropPasskey(h.Ctx, h.self(), keys[0].ID); err != nil {
			t.Fatal(err)
		}
		_, err = h.EnterByPasskey(h.Ctx, here, "", d.sign(t, h.question(t)))
		refused(t, "a passkey that was removed", err)
	})
}

// What is no answer of this owner's device, to this question, at this site, lets nobody in.
func TestPasskeyRefused(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		d := newDevice(t, here)
		h.add(t, d)
		enter := func(answer []byte) error {
			_, err := h.EnterByPasskey(h.Ctx, here, "", answer)
			return err
		}
		replayed := d.sign(t, h.question(t))
		if err := enter(replayed); err != nil {
			t.Fatal(err)
		}
		refused(t, "an answer once more", enter(replayed))
		late := d.sign(t, h.question(t))
		h.Now = h.Now.Add(2 * time.Minute)
		refused(t, "after two minutes", enter(late))
		changed := func(change func(*device)) []byte {
			other := *d
			change(&other)
			d.count++
			return other.sign(t, h.question(t))
		}
		refused(t, "made for another host", enter(changed(func(d *device) { d.host = "evil.example" })))
		refused(t, "asked by another page", enter(changed(func(d *device) { d.origin = "https://evil.example" })))
		refused(t, "without its user", enter(changed(func(d *device) { d.flags = present })))
		refused(t, "of somebody else", enter(changed(func(d *device) { d.user = []byte("did:key:nobody") })))
		refused(t, "by another key", enter(changed(func(d *device) { d.key = newDevice(t, here).key })))
		refused(t, "of a passkey unknown", enter(changed(func(d *device) { d.id = []byte("unknown") })))
		refused(t, "of a copy", enter(changed(func(d *device) { d.count = 0 })))
		refused(t, "to a question of its own", enter(d.sign(t, []byte(`{"challenge":"`+text([]byte(strings.Repeat("x", 32)))+`"}`))))
		for _, answer := range []string{"", "{}", "null", "[", `{"response":{"clientDataJSON":"e30"}}`} {
			refused(t, answer, enter([]byte(answer)))
		}
		if err := enter(d.sign(t, h.question(t))); err != nil {
			t.Errorf("and the right one: %v", err)
		}
		elsewhere := visit.Site{Host: "other.example", Origin: "https://other.example"}
		_, err := h.EnterByPasskey(h.Ctx, elsewhere, "", d.sign(t, h.question(t)))
		refused(t, "at another site of this server", err)
	})
}

// Only who has just entered, or was confirmed, adds a passkey.
func TestPasskeyNeedsAFreshVisit(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		cookie, d := h.letIn(t), newDevice(t, here)
		question, err := h.OfferPasskey(h.Ctx, cookie, here)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, "an answer by nobody's visit", h.AddPasskey(h.Ctx, "nothing", here, "", d.make(t, question)))
		h.Now = h.Now.Add(10 * time.Minute)
		if _, err := h.OfferPasskey(h.Ctx, cookie, here); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("after ten minutes: %v", err)
		}
		if err := h.AddPasskey(h.Ctx, cookie, here, "", d.make(t, question)); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("after ten minutes: %v", err)
		}
		if err := h.Confirm(h.Ctx, cookie, h.code(t).Code); err != nil {
			t.Fatal(err)
		}
		if question, err = h.OfferPasskey(h.Ctx, cookie, here); err != nil {
			t.Fatal(err)
		}
		forged := newDevice(t, visit.Site{Host: "evil.example", Origin: "https://evil.example"})
		refused(t, "a passkey for another site", h.AddPasskey(h.Ctx, cookie, here, "", forged.make(t, question)))
		if keys, err := h.Passkeys(h.Ctx, h.self()); err != nil || len(keys) != 0 {
			t.Errorf("%+v, %v", keys, err)
		}
		if _, err := h.Passkeys(h.Ctx, memory.Caller{Owner: h.owner, Role: memory.Agent}); err == nil {
			t.Error("an assistant lists passkeys")
		}
	})
}
