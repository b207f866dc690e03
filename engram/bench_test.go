package engram_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
)

// thousand is a view of 1,000 beliefs, half of them with history; received ones have
// the object they were read from.
func thousand(t testing.TB, received bool) engram.View {
	v := view(t)
	one, history, correction := v.Beliefs[0], v.Evolution[0], v.Corrections[0]
	v.Beliefs, v.Evolution, v.Corrections = nil, nil, nil
	for i := range 1000 {
		b := one
		b.ID, b.Key = engram.IDFrom("b", strconv.Itoa(i)), "key "+strconv.Itoa(i)
		b.Value = canon.Value{}
		if received {
			b = engram.ReadBelief(b.Wire().With("extra", canon.String("kept")))
		}
		v.Beliefs = append(v.Beliefs, b)
		if i%2 == 0 {
			history.Belief, correction.Belief, history.Value, correction.Value = b.ID, b.ID, canon.Value{}, canon.Value{}
			if received {
				history, correction = engram.ReadChange(history.Wire()), engram.ReadCorrection(correction.Wire())
			}
			v.Evolution, v.Corrections = append(v.Evolution, history), append(v.Corrections, correction)
		}
	}
	return v
}

func BenchmarkIssue(b *testing.B) {
	for name, received := range map[string]bool{"made": false, "received": true} {
		v, s := thousand(b, received), signer(b)
		raw, err := s.Issue(v, noon(b))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Issue(v, noon(b)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+" canonicalise and sign", func(b *testing.B) {
			for b.Loop() {
				c, err := canon.Canonical(raw, canon.Options{})
				if err != nil {
					b.Fatal(err)
				}
				s.Key.Sign(c)
			}
		})
		doc := tree(b, string(raw))
		b.Run(name+" canonicalise a tree and sign", func(b *testing.B) {
			for b.Loop() {
				s.Key.Sign(doc.AppendCanonical(nil))
			}
		})
		b.Run(name+" verify", func(b *testing.B) {
			for b.Loop() {
				if _, err := engram.Verify(raw, expected(b)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+" select", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := engram.Select(v.Memory, engram.Query{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// versionsOfOne is an export of one belief that has had n values.
func versionsOfOne(t testing.TB, n int) (oldest, newest, mixed []byte) {
	t.Helper()
	v := view(t)
	b, change, correction := v.Beliefs[0], v.Evolution[0], v.Corrections[0]
	value := func(i int) string { return "value " + strconv.Itoa(i) }
	b.Text, b.Value, change.Value, correction.Value = value(n-1), canon.Value{}, canon.Value{}, canon.Value{}
	change.Belief, correction.Belief, correction.Status = b.ID, b.ID, ""
	v.Beliefs, v.Evolution, v.Corrections = []engram.Belief{b}, nil, nil
	for i := range n - 1 {
		at := b.CreatedAt.Add(time.Duration(i+1) * time.Minute)
		change.ID, change.Old, change.New, change.ChangedAt = engram.IDFrom("e", strconv.Itoa(i)), value(i), value(i+1), at
		v.Evolution = append(v.Evolution, change)
		if i%3 == 0 {
			correction.ID, correction.Old, correction.New, correction.CorrectedAt = engram.IDFrom("c", strconv.Itoa(i)), value(i), value(i+1), at
			v.Corrections = append(v.Corrections, correction)
		}
	}
	encoded := func() []byte {
		raw, err := engram.Encode(engram.Document{
			Version: engram.Version, Issuer: engram.Issuer{Name: "Garden", URL: "https://garden.example"}, Subject: engram.Subject{ID: "did:web:rosa.example"},
			Kid: "k1", IssuedAt: noon(t), ExpiresAt: noon(t).Add(time.Hour), Scope: engram.Full, Signature: engram.Signature{Value: "AAAA"}, Memory: v.Memory,
		})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	oldest = encoded()
	slices.Reverse(v.Evolution)
	slices.Reverse(v.Corrections)
	newest = encoded()
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(v.Evolution), func(i, j int) { v.Evolution[i], v.Evolution[j] = v.Evolution[j], v.Evolution[i] })
	r.Shuffle(len(v.Corrections), func(i, j int) {
		v.Corrections[i], v.Corrections[j] = v.Corrections[j], v.Corrections[i]
	})
	return oldest, newest, encoded()
}

// BenchmarkVersions converts an export of one belief with 10,000 values to records, and
// the records to an export.
func BenchmarkVersions(b *testing.B) {
	oldest, newest, mixed := versionsOfOne(b, 10_000)
	for _, c := range []struct {
		name string
		raw  []byte
	}{{"oldest first", oldest}, {"newest first", newest}, {"mixed", mixed}} {
		opt := codec.Options{Owner: ownKey().DID()}
		records, _ := open(b, opt, c.raw)
		b.Run(c.name+" read", func(b *testing.B) {
			for b.Loop() {
				open(b, opt, c.raw)
			}
		})
		b.Run(c.name+" write", func(b *testing.B) {
			for b.Loop() {
				export(b, opt, records...)
			}
		})
	}
}

// TestVersionsInAnyOrder: the values of a belief come in the order of time, each with the
// correction that led to it, however the lists of the export are ordered.
func TestVersionsInAnyOrder(t *testing.T) {
	const n = 300
	oldest, newest, mixed := versionsOfOne(t, n)
	for name, raw := range map[string][]byte{"oldest first": oldest, "newest first": newest, "mixed": mixed} {
		records, _ := open(t, codec.Options{Owner: ownKey().DID()}, raw)
		records = records[1 : n+1] // behind the identity
		for i, r := range records {
			if !strings.HasSuffix(r.Body.Text, ": value "+strconv.Itoa(i)) {
				t.Fatalf("%s: version %d says %q", name, i, r.Body.Text)
			}
			residue, _ := codec.Residue(r, "engram")
			want := 0
			if i%3 == 1 {
				want = 1
			}
			if got := residue.Get("corrections").Len(); got != want {
				t.Errorf("%s: %d corrections led to version %d, want %d", name, got, i, want)
			}
		}
	}
}
