package replicate_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestJoinRefusesWhatTheOwnerHasNotSigned(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	id := a.Tell("I live in Lyon")
	good := a.tell(t, b, 1<<20)
	at := -1
	for i, item := range good.Items {
		if item.Kind == replica.KindRecord && item.Key == string(id) {
			at = i
		}
	}
	origin := a.MustGet(id).Origin
	record := func(r replica.Record) []byte { return replica.Encode(r) }
	stranger := replica.Machine{ID: "did:key:z6Mkstranger", Name: "x"}.Signed(vaulttest.Seeded(t, 55))
	stolen := b.Self() // a machine that has the owner's key would read what is encrypted to another one
	stolen.Recipient, stolen.Renamed = "age1another", 1<<40
	stolen = stolen.Signed(a.House.Key)
	for name, c := range map[string]struct {
		item replica.Item
		want error
	}{
		"another text":            {replica.Item{Kind: replica.KindRecord, Key: string(id), Data: record(replica.Record{Origin: bytes.Replace(origin, []byte("Lyon"), []byte("Nice"), 1)})}, replica.ErrUnsigned},
		"another id":              {replica.Item{Kind: replica.KindRecord, Key: "urn:ump:x", Data: good.Items[at].Data}, replica.ErrMalformed},
		"no JSON":                 {replica.Item{Kind: replica.KindRecord, Key: string(id), Data: record(replica.Record{Origin: []byte("{")})}, replica.ErrMalformed},
		"nothing":                 {replica.Item{Kind: replica.KindRecord, Key: string(id), Data: record(replica.Record{})}, replica.ErrMalformed},
		"no CBOR":                 {replica.Item{Kind: replica.KindRecord, Key: string(id), Data: []byte{0xff}}, replica.ErrMalformed},
		"a shell with a text":     {replica.Item{Kind: replica.KindRecord, Key: string(id), Data: record(replica.Record{Shell: origin})}, replica.ErrMalformed},
		"an unknown kind":         {replica.Item{Kind: "spell", Key: "x"}, replica.ErrMalformed},
		"a space of the vault":    {replica.Item{Kind: replica.KindSetting, Key: "count.state\x00self", Data: replica.Encode(replica.Register{}.Set([]byte("x"), true))}, replica.ErrMalformed},
		"beside, a foreign space": {replica.Item{Kind: replica.KindAttachment, Key: "undo\x00x", Data: replica.Encode(replica.Attachment{})}, replica.ErrMalformed},
		"another's recipient":     {replica.Item{Kind: replica.KindMachine, Key: string(stolen.ID), Data: replica.Encode(stolen)}, replica.ErrUnsigned},
		"a stranger's machine":    {replica.Item{Kind: replica.KindMachine, Key: string(stranger.ID), Data: replica.Encode(stranger)}, replica.ErrUnsigned},
	} {
		t.Run(name, func(t *testing.T) {
			msg := good
			msg.Items = append([]replica.Item{{Kind: replica.KindErasure, Key: "00", Data: replica.Encode(replica.Erasure(1))}}, c.item)
			if _, err := b.Join(b.Ctx, "r", msg); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if marks, _, err := b.Erased(b.Ctx, replica.Position{}); err != nil || len(marks) != 0 {
				t.Errorf("a part of a refused message stays: %v %v", marks, err)
			}
		})
	}
	msg := good
	msg.Owner = "did:key:z6Mkother"
	if _, err := b.Join(b.Ctx, "r", msg); !errors.Is(err, replica.ErrUnsigned) {
		t.Errorf("another owner's message: %v", err)
	}
	if b.Count() != 0 {
		t.Error("something of a refused message is here")
	}
	if err := replicate.Admit(b.Ctx, b.Vault, memory.Caller{Owner: b.own.Owner, Role: memory.Owner}, stranger); !errors.Is(err, replica.ErrUnsigned) {
		t.Errorf("a stranger's machine is admitted: %v", err)
	}
	if _, err := replicate.Of(b.Ctx, b.Vault, b.own.Owner, "did:key:z6Mkstranger"); memory.KindOf(err) != memory.NotFound {
		t.Errorf("a machine that is not the owner's: %v", err)
	}
}

// TestJoinRefusesOneWrongSignatureAmongMany: signatures are verified together, and one that
// belongs to another record refuses the whole message.
func TestJoinRefusesOneWrongSignatureAmongMany(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	var ids []memory.ID
	for i := range 20 {
		ids = append(ids, a.Tell(vaulttest.Fact(i)))
	}
	good := a.tell(t, b, 1<<20)
	origin, other := a.MustGet(ids[13]).Origin, a.MustGet(ids[7]).Origin
	forged := bytes.Replace(origin, signature.Find(origin), signature.Find(other), 1)
	if bytes.Equal(forged, origin) {
		t.Fatal("the signature was not replaced")
	}
	bad := good
	bad.Items = slices.Clone(good.Items)
	for i, item := range bad.Items {
		if item.Kind == replica.KindRecord && item.Key == string(ids[13]) {
			bad.Items[i].Data = replica.Encode(replica.Record{Origin: forged})
		}
	}
	_, err := b.Join(b.Ctx, "r", bad)
	if !errors.Is(err, replica.ErrUnsigned) || !errors.Is(err, ump.ErrSignature) || !strings.Contains(err.Error(), string(ids[13])) {
		t.Errorf("%v, want that %s is not signed", err, ids[13])
	}
	if err != nil && strings.Contains(err.Error(), string(ids[7])) {
		t.Errorf("%v: it names a good record", err)
	}
	if b.Count() != 0 {
		t.Error("something of a refused message is here")
	}
	if b.join(t, a, good); b.Count() != 20 {
		t.Errorf("%d memories, want 20", b.Count())
	}
}

// signature finds the signature in a record.
var signature = regexp.MustCompile(`"signature":"[^"]+"`)

// TestMachinesOnBothStores: machines agree that keep their memory in different stores.
func TestMachinesOnBothStores(t *testing.T) {
	if !pgtest.Available() {
		t.Skip("PostgreSQL is not here")
	}
	all := machines(t, 3, mixed)
	a, b, c := all[0], all[1], all[2]
	id, other := a.Tell("I live in Lyon"), b.Tell("I work in Graz")
	b.MustTake(vaulttest.Drafts(b.own.Owner, 5), vault.ImportOptions{Name: "notes", Format: "test", Digest: "d"})
	meet(t, all)
	alike(t, all)
	b.Change(id, `{"body":{"text":"I live in Paris"}}`)
	c.Change(id, `{"body":{"text":"I live in Nice"}}`)
	a.forget(t, memory.ForgetRequest{ID: other, Reason: memory.Incorrect, Hard: true})
	if _, err := c.House.Undo(c.Ctx, c.own, 1); err != nil {
		t.Fatal(err)
	}
	meet(t, all)
	alike(t, all)
	if n := b.Count(); n != 3 {
		t.Errorf("%d memories, want three versions of one", n)
	}
}

func mixed(t testing.TB, i int) *vaulttest.House {
	if i%2 == 1 {
		return vaulttest.OpenPostgres(t)
	}
	return embedded(t, i)
}
