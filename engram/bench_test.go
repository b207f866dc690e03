package engram_test

import (
	"strconv"
	"testing"

	"github.com/satchel-memory/satchel/canon"
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
