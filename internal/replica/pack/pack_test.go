package pack_test

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// key makes a key of a name, the same each time.
func key(t testing.TB, name string) keys.Private {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	made, err := keys.FromSeed(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// machine is a machine with its secrets.
type machine struct {
	replica.Machine
	key      keys.Private
	identity string
}

func newMachine(t testing.TB, owner keys.Private, name string) machine {
	t.Helper()
	identity, recipient, err := pack.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	m := machine{key: key(t, "machine "+name), identity: identity}
	m.Machine = replica.Machine{ID: m.key.DID(), Name: name, Recipient: recipient, Added: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}.Proven(m.key).Signed(owner)
	return m
}

func (m machine) author(owner memory.DID) pack.Author {
	return pack.Author{Owner: owner, Self: m.Machine, Key: m.key}
}

func (m machine) reader(owner memory.DID) pack.Reader {
	return pack.Reader{Owner: owner, Identity: m.identity}
}

func message(owner memory.DID, from machine) replica.Message {
	return replica.Message{Owner: owner, From: from.ID, Number: 7, Previous: [32]byte{1, 2},
		Items: []replica.Item{{Kind: "record", Key: "a", Data: []byte("the ferry leaves at eight")}, {Kind: "gone", Key: "b", Data: []byte{3}}},
		After: replica.Position{Changes: 1, Attached: 2, Rest: [16]byte{3}}, Upto: replica.Position{Changes: 4, Attached: 5, Rest: [16]byte{6}},
		More: true, Have: map[memory.DID]replica.Position{"did:key:other": {Changes: 8}}, Log: []byte("head"), Begin: replica.Position{Changes: 9}}
}

func TestRoundTrip(t *testing.T) {
	ada := key(t, "ada")
	a, b, c := newMachine(t, ada, "a"), newMachine(t, ada, "b"), newMachine(t, ada, "c")
	want := message(ada.DID(), a)
	sealed, err := pack.Seal(want, a.author(ada.DID()), []replica.Machine{a.Machine, b.Machine})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("ferry")) || bytes.Contains(sealed, []byte(ada.DID())) {
		t.Error("the pack shows what is in it")
	}
	for _, m := range []machine{a, b} {
		got, from, err := pack.Open(sealed, m.reader(ada.DID()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || from.ID != a.ID || from.Name != "a" {
			t.Errorf("%s reads, from %v: %s", m.Name, from, diff)
		}
	}
	if _, _, err := pack.Open(sealed, c.reader(ada.DID())); !errors.Is(err, replica.ErrNotForUs) {
		t.Errorf("c, to whom it is not encrypted: %v", err)
	}
}

// envelope is the wire form, written here once more to be broken.
type envelope struct {
	Version   uint64 `cbor:"1,keyasint"`
	Purpose   string `cbor:"2,keyasint"`
	Owner     string `cbor:"3,keyasint"`
	From      entry  `cbor:"4,keyasint"`
	Signature []byte `cbor:"5,keyasint"`
	Body      []byte `cbor:"6,keyasint"`
	More      []byte `cbor:"99,keyasint,omitempty"`
}

type entry struct {
	ID        string `cbor:"1,keyasint"`
	Name      string `cbor:"2,keyasint"`
	Renamed   int64  `cbor:"3,keyasint"`
	Recipient string `cbor:"4,keyasint"`
	Added     string `cbor:"5,keyasint"`
	Removed   string `cbor:"6,keyasint,omitempty"`
	Signature []byte `cbor:"7,keyasint"`
	Proof     []byte `cbor:"8,keyasint"`
}

// taken opens a pack without looking at signatures.
func taken(t *testing.T, sealed []byte, as machine) envelope {
	t.Helper()
	var e envelope
	identity, err := age.ParseX25519Identity(as.identity)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := age.Decrypt(bytes.NewReader(sealed), identity)
	if err != nil {
		t.Fatal(err)
	}
	if err := cbor.NewDecoder(plain).Decode(&e); err != nil {
		t.Fatal(err)
	}
	return e
}

// given encrypts anything to a machine.
func given(t *testing.T, to machine, plain []byte) []byte {
	t.Helper()
	recipient, err := age.ParseX25519Recipient(to.Recipient)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in, err := age.Encrypt(&out, recipient)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func deflated(t *testing.T, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestHostile: each broken pack is refused by its kind.
func TestHostile(t *testing.T) {
	ada, eve := key(t, "ada"), key(t, "eve")
	a, b, foe := newMachine(t, ada, "a"), newMachine(t, ada, "b"), newMachine(t, eve, "foe")
	to := []replica.Machine{b.Machine}
	sealed, err := pack.Seal(message(ada.DID(), a), a.author(ada.DID()), to)
	if err != nil {
		t.Fatal(err)
	}
	// again opens the good pack, changes it, signs it as a machine if one is given, and encrypts it anew.
	again := func(as *machine, change func(*envelope)) []byte {
		e := taken(t, sealed, b)
		change(&e)
		if as != nil {
			e.Signature = nil
			e.Signature = as.key.Sign(append([]byte("satchel pack 1\x00"), replica.Encode(e)...))
		}
		return given(t, b, replica.Encode(e))
	}
	entryOf := func(m replica.Machine) entry {
		text := func(at time.Time) string {
			if at.IsZero() {
				return ""
			}
			return at.Format(time.RFC3339Nano)
		}
		return entry{string(m.ID), m.Name, int64(m.Renamed), m.Recipient, text(m.Added), text(m.Removed), m.Signature, m.Proof}
	}
	removed := a.Machine
	removed.Removed = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	removed = removed.Signed(ada)
	flip := func(at int) []byte {
		broken := bytes.Clone(sealed)
		broken[(at+len(broken))%len(broken)] ^= 1
		return broken
	}
	bad := func(m replica.Message, as machine) []byte {
		made, err := pack.Seal(m, as.author(ada.DID()), to)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for _, c := range []struct {
		name string
		pack []byte
		want error
	}{
		{"whole", sealed, nil},
		{"signed again by its author", again(&a, func(*envelope) {}), nil},
		{"empty", nil, replica.ErrCut},
		{"half of its header", sealed[:40], replica.ErrCut},
		{"its last byte missing", sealed[:len(sealed)-1], replica.ErrAltered},
		{"a byte of its end changed", flip(-1), replica.ErrAltered},
		{"a byte of its beginning changed", flip(3), replica.ErrAltered},
		{"a byte behind its end", append(bytes.Clone(sealed), 0), replica.ErrAltered},
		{"no age file", []byte("hello"), replica.ErrAltered},
		{"larger than what is read", make([]byte, pack.MaxSealed+1), replica.ErrTooLarge},
		{"no CBOR", given(t, b, []byte("hello")), replica.ErrUnsigned},
		{"nothing inside", given(t, b, nil), replica.ErrUnsigned},
		{"another body", again(nil, func(e *envelope) { e.Body = deflated(t, []byte("x")) }), replica.ErrUnsigned},
		{"another purpose, not signed", again(nil, func(e *envelope) { e.Purpose = "head" }), replica.ErrSwapped},
		{"another purpose", again(&a, func(e *envelope) { e.Purpose = "head" }), replica.ErrSwapped},
		{"another owner", again(&a, func(e *envelope) { e.Owner = string(eve.DID()) }), replica.ErrForeign},
		{"a stranger's machine", again(&foe, func(e *envelope) { e.From = entryOf(foe.Machine) }), replica.ErrUnsigned},
		{"a stranger's signature under a machine's name", again(&foe, func(*envelope) {}), replica.ErrUnsigned},
		{"a machine with another recipient", again(&a, func(e *envelope) { e.From.Recipient = foe.Recipient }), replica.ErrUnsigned},
		{"a machine that gave another one its own recipient, with the owner's key", again(&a, func(e *envelope) {
			m := a.Machine
			m.Recipient, m.Renamed = foe.Recipient, 9
			e.From = entryOf(m.Signed(ada))
		}), replica.ErrUnsigned},
		{"no signature", again(nil, func(e *envelope) { e.Signature = nil }), replica.ErrUnsigned},
		{"a removed machine", again(&a, func(e *envelope) { e.From = entryOf(removed) }), replica.ErrRemoved},
		{"a newer version", again(nil, func(e *envelope) { e.Version = 2 }), replica.ErrNewer},
		{"an unknown member", again(&a, func(e *envelope) { e.More = []byte("x") }), replica.ErrUnsigned},
		{"a body that is not compressed", again(&a, func(e *envelope) { e.Body = []byte("hello") }), replica.ErrMalformed},
		{"a body that is no message", again(&a, func(e *envelope) { e.Body = deflated(t, []byte("hello")) }), replica.ErrMalformed},
		{"a body too deep", again(&a, func(e *envelope) { e.Body = deflated(t, bytes.Repeat([]byte{0x81}, 100)) }), replica.ErrMalformed},
		{"a bomb", again(&a, func(e *envelope) { e.Body = deflated(t, make([]byte, 32<<20+1)) }), replica.ErrTooLarge},
		{"a list that claims a billion items", again(&a, func(e *envelope) { e.Body = deflated(t, []byte{0xa1, 0x06, 0x9a, 0x40, 0, 0, 0}) }), replica.ErrMalformed},
		{"a message of another machine", bad(message(ada.DID(), b), a), replica.ErrMalformed},
		{"a message of another owner", bad(message(eve.DID(), a), a), replica.ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := pack.Open(c.pack, b.reader(ada.DID()))
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	t.Run("a machine that was removed here", func(t *testing.T) {
		reader := b.reader(ada.DID())
		reader.Machines = []replica.Machine{b.Machine, removed}
		if _, _, err := pack.Open(sealed, reader); !errors.Is(err, replica.ErrRemoved) {
			t.Error(err)
		}
	})
	t.Run("a machine that is not known here", func(t *testing.T) {
		reader := b.reader(ada.DID())
		reader.Machines = []replica.Machine{b.Machine}
		if _, _, err := pack.Open(sealed, reader); !errors.Is(err, replica.ErrUnknown) {
			t.Error(err)
		}
	})
}

func TestSealRefuses(t *testing.T) {
	ada := key(t, "ada")
	a := newMachine(t, ada, "a")
	large := message(ada.DID(), a)
	large.Items = []replica.Item{{Kind: "record", Data: make([]byte, 32<<20+1)}}
	if _, err := pack.Seal(large, a.author(ada.DID()), []replica.Machine{a.Machine}); !errors.Is(err, replica.ErrTooLarge) {
		t.Errorf("a body past the limit: %v", err)
	}
	if _, err := pack.Seal(message(ada.DID(), a), a.author(ada.DID()), nil); err == nil {
		t.Error("a pack to nobody")
	}
	if _, err := pack.Seal(message(ada.DID(), a), a.author(ada.DID()), []replica.Machine{{Name: "x", Recipient: "age1"}}); err == nil || !strings.Contains(err.Error(), "x") {
		t.Errorf("a machine without a key: %v", err)
	}
	if _, err := pack.Seal(message(ada.DID(), a), a.author(ada.DID()), []replica.Machine{{Name: "x", Recipient: "age1"}, a.Machine}); err != nil {
		t.Errorf("a machine without a key hinders another: %v", err)
	}
	if _, err := pack.Seal(message(ada.DID(), a), pack.Author{Owner: ada.DID(), Self: a.Machine, Key: ada}, []replica.Machine{a.Machine}); err == nil {
		t.Error("a machine signs with another's key")
	}
}

func TestSecret(t *testing.T) {
	ada := key(t, "ada")
	a := newMachine(t, ada, "a")
	secret := ada.Secret("test")
	sealed, err := pack.SealWithSecret("request", []byte("let me in"), a.author(ada.DID()), secret)
	if err != nil {
		t.Fatal(err)
	}
	body, from, err := pack.OpenWithSecret("request", sealed, pack.Reader{Owner: ada.DID()}, secret)
	if err != nil || string(body) != "let me in" || from.ID != a.ID {
		t.Errorf("%q from %v, %v", body, from, err)
	}
	if _, _, err := pack.OpenWithSecret("request", sealed, pack.Reader{Owner: ada.DID()}, ada.Secret("other")); !errors.Is(err, replica.ErrNotForUs) {
		t.Errorf("another secret: %v", err)
	}
}

// FuzzOpen puts any plain text where a machine of the owner's would put its own.
func FuzzOpen(f *testing.F) {
	ada := key(f, "ada")
	a := newMachine(f, ada, "a")
	f.Add(replica.Encode(map[int]any{1: "x"}))
	f.Add([]byte{0x81, 0x81})
	f.Fuzz(func(t *testing.T, body []byte) {
		sealed, err := pack.SealBody("message", body, a.author(ada.DID()), []replica.Machine{a.Machine})
		if err != nil {
			t.Skip()
		}
		m, _, err := pack.Open(sealed, a.reader(ada.DID()))
		if err != nil {
			if fault := replica.Fault(""); !errors.As(err, &fault) {
				t.Fatalf("no kind: %v", err)
			}
			return
		}
		again, err := pack.Seal(m, a.author(ada.DID()), []replica.Machine{a.Machine})
		if err != nil {
			t.Fatal(err)
		}
		if other, _, err := pack.Open(again, a.reader(ada.DID())); err != nil || fmt.Sprint(other) != fmt.Sprint(m) {
			t.Fatalf("not the same again: %v", err)
		}
	})
}
