package replica_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// TestJoin: joining is commutative, associative and idempotent, for each kind.
func TestJoin(t *testing.T) {
	for kind, draw := range values() {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a, b, c := item(kind, draw(t)), item(kind, draw(t)), item(kind, draw(t))
				same(t, "b with a", join(t, a, b), join(t, b, a))
				same(t, "(a with b) with c", join(t, join(t, a, b), c), join(t, a, join(t, b, c)))
				same(t, "twice", join(t, join(t, a, b), b), join(t, a, b))
			})
		})
	}
}

func item(k replica.Kind, data []byte) replica.Item {
	return replica.Item{Kind: k, Key: "k", Data: data}
}

func join(t *rapid.T, a, b replica.Item) replica.Item {
	both, err := replica.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return both
}

func same(t *rapid.T, what string, a, b replica.Item) {
	if !bytes.Equal(a.Data, b.Data) {
		t.Fatalf("%s:\n%x\n%x", what, a.Data, b.Data)
	}
}

// values draws data of each kind, from few values, so that equal parts meet.
func values() map[replica.Kind]func(*rapid.T) []byte {
	return map[replica.Kind]func(*rapid.T) []byte{
		replica.KindMachine: func(t *rapid.T) []byte {
			return replica.Encode(replica.Machine{ID: "did:x", Name: name(t), Renamed: rapid.SampledFrom([]int{math.MinInt, 0, 1, math.MaxInt}).Draw(t, "renamed"), Removed: at(t), Recipient: name(t)})
		},
		replica.KindRecord:  record,
		replica.KindErasure: func(t *rapid.T) []byte { return replica.Encode(replica.Erasure(few(t))) },
		replica.KindImport: func(t *rapid.T) []byte {
			return replica.Encode(replica.Import{Digest: name(t), Name: name(t), At: at(t), Created: few(t), Residue: []byte(name(t)),
				Complete: yes(t), Undone: yes(t), NoResidue: yes(t), NoDigest: yes(t)})
		},
		replica.KindSetting: func(t *rapid.T) []byte {
			r := replica.Register{}
			for range few(t) {
				r = r.Set([]byte(name(t)), yes(t))
			}
			return replica.Encode(r)
		},
		replica.KindGrant: func(t *rapid.T) []byte {
			return replica.Encode(replica.Grant{Claims: []byte(name(t)), Name: name(t), Issued: at(t), Expires: at(t), Revoked: at(t)})
		},
		replica.KindLesson: func(t *rapid.T) []byte {
			return replica.Encode(replica.Lesson{Followed: few(t), Ignored: few(t), At: at(t)})
		},
		replica.KindAttachment: func(t *rapid.T) []byte {
			return replica.Encode(replica.Attachment{From: memory.ID(name(t)), Data: []byte(name(t))})
		},
		replica.KindSpent: func(t *rapid.T) []byte { return replica.Encode(replica.Spent{Until: at(t)}) },
	}
}

func record(t *rapid.T) []byte {
	if rapid.IntRange(0, 3).Draw(t, "shell") == 0 {
		shell := fmt.Sprintf(`{"id":"x","superseded_by":["%s"],"time":{"created":"2026-01-01T00:00:00Z","valid_to":"2026-0%d-01T00:00:00Z"}}`, "v"+name(t), 1+few(t))
		if yes(t) {
			shell = fmt.Sprintf(`{"id":"%s"}`, "x"+name(t))
		}
		return replica.Encode(replica.Record{Shell: []byte(shell), Import: name(t)})
	}
	r := replica.Record{Origin: []byte("o" + name(t)), Import: name(t), Lineage: memory.ID(name(t)), Base: []byte(name(t))}
	for range few(t) {
		f := replica.Forget{Reason: []byte(name(t)), Actor: name(t), Approved: yes(t)}
		r = r.Join(replica.Record{Forgets: []replica.Forget{f}})
		if yes(t) {
			r = r.TakeBack()
		}
	}
	for range few(t) {
		r = r.Join(replica.Record{
			Ends: []replica.End{{At: at(t), By: memory.ID(name(t))}}, Evidence: []replica.Evidence{{Ref: name(t), Weight: float64(few(t))}},
			Relations: []memory.Relation{{Type: "about", Target: name(t)}},
		})
	}
	return replica.Encode(r)
}

func few(t *rapid.T) int { return rapid.IntRange(0, 3).Draw(t, "few") }

func yes(t *rapid.T) bool { return rapid.Bool().Draw(t, "yes") }

func name(t *rapid.T) string { return rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "name") }

func at(t *rapid.T) time.Time {
	n := few(t)
	if n == 0 {
		return time.Time{}
	}
	return time.Date(2000+n, 1, 1, 0, 0, 0, n*1000, time.UTC)
}

func TestForgetting(t *testing.T) {
	forgot := func(f replica.Forget) replica.Record { return replica.Record{Forgets: []replica.Forget{f}} }
	rejected, approved := replica.Forget{Reason: []byte("a")}, replica.Forget{Reason: []byte("b"), Approved: true}
	for name, c := range map[string]struct {
		is   replica.Record
		want *replica.Forget
	}{
		"nobody forgot it":                    {replica.Record{}, nil},
		"forgotten":                           {forgot(rejected), &rejected},
		"taken back":                          {forgot(rejected).TakeBack(), nil},
		"taken back, and forgotten elsewhere": {forgot(rejected).TakeBack().Join(forgot(approved)), &approved},
		"confirmed here and rejected there":   {forgot(rejected).Join(forgot(approved)), &approved},
	} {
		got, ok := c.is.InForce()
		if ok != (c.want != nil) || ok && !bytes.Equal(got.Mark(), c.want.Mark()) {
			t.Errorf("%s: %+v %t", name, got, ok)
		}
	}
}

func TestWithdrawalWins(t *testing.T) {
	given := replica.Register{}.Set([]byte("x"), true)
	withdrawn, changed := given.Set(nil, false), given.Set([]byte("y"), true).Set([]byte("z"), true)
	if got := withdrawn.Join(changed); got.Present {
		t.Errorf("a withdrawal lost against changes made apart: %+v", got)
	}
	if got := withdrawn.Set([]byte("again"), true).Join(changed); !got.Present || string(got.Data) != "again" {
		t.Errorf("what was given again did not win: %+v", got)
	}
}

func TestDecodeRefusesStrangers(t *testing.T) {
	good := replica.Encode(replica.Lesson{Followed: 1})
	for n := range good {
		if _, err := replica.Decode[replica.Lesson](good[:n]); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(good))
		}
	}
	if _, err := replica.Join(replica.Item{Kind: "nonsense"}, replica.Item{Kind: "nonsense"}); err == nil {
		t.Error("an unknown kind is joined")
	}
}

// TestMachineEntries: a long entry is refused, though the owner's key has signed it. A thief of
// the key could send one to each machine, which would store it.
func TestMachineEntries(t *testing.T) {
	owner, own := seeded(t, 1), seeded(t, 2)
	entry := replica.Machine{ID: own.DID(), Name: "desk", Recipient: "age1", Renamed: 3}
	for name, c := range map[string]struct {
		spoil func(*replica.Machine)
		want  error
	}{
		"good":              {func(*replica.Machine) {}, nil},
		"a long name":       {func(m *replica.Machine) { m.Name = strings.Repeat("x", replica.MaxName+1) }, replica.ErrMalformed},
		"a long recipient":  {func(m *replica.Machine) { m.Recipient = strings.Repeat("x", 1<<20) }, replica.ErrMalformed},
		"a name after none": {func(m *replica.Machine) { m.Renamed = math.MaxInt }, replica.ErrMalformed},
		"a name before all": {func(m *replica.Machine) { m.Renamed = -1 }, replica.ErrMalformed},
		"of somebody else":  {func(m *replica.Machine) { m.ID = seeded(t, 3).DID() }, replica.ErrUnsigned},
	} {
		m := entry
		c.spoil(&m)
		if err := m.Proven(own).Signed(owner).Verify(owner.DID()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func seeded(t *testing.T, n byte) keys.Private {
	key, err := keys.FromSeed(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}
