package aimem

import (
	"testing"

	"github.com/satchel-memory/satchel/canon"
)

// TestOddCarriers: x_ump that says nothing of records is an unknown member, and
// comes back as it was (decision AD-11).
func TestOddCarriers(t *testing.T) {
	for _, odd := range []string{`"hello"`, `null`, `{"v":1}`, `{"v":1,"order":[]}`, `{"v":1,"order":["zz"]}`, `{"v":1,"records":[5]}`, `{"v":1,"records":[{"id":"x"}]}`} {
		t.Run("AIMEM-2.1-17 of the envelope "+odd, func(t *testing.T) {
			b := bundle(t, plainBundle(t))
			b = held{b.v.With(memberCarrier, parsed(odd))}
			if again := throughRecords(t, b); again.sum(t) != b.sum(t) || !canon.Identical(again.v.Get(memberCarrier), parsed(odd)) {
				t.Errorf("it is %s", again.v.Get(memberCarrier).Append(nil))
			}
		})
	}
	for _, odd := range []string{`5`, `{"v":1}`, `{"v":1,"record":{}}`, `{"v":1,"record":{"note":"x"}}`} {
		t.Run("AIMEM-2.2-25 of a chunk "+odd, func(t *testing.T) {
			b := bundle(t, plainBundle(t))
			c := b.v.Get(memberChunks).Items()[1].With(memberCarrier, parsed(odd))
			b = held{b.v.With(memberChunks, b.v.Get(memberChunks).WithItem(1, c))}
			if again := throughRecords(t, b); again.sum(t) != b.sum(t) {
				t.Errorf("was %s\nis %s", canonical(b.v), canonical(again.v))
			}
		})
	}
}
