package ump_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestDuplicateKeys(t *testing.T) {
	record := func(text string) memory.Record {
		return memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: ownerDID}}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"The user works at Globex.", "The user works at Globex", true},
		{"the user works at Globex", "The  user works at Globex.", true},
		{"Élan is a dog.", "élan is a dog", true},
		{"I like tea.", "i like tea", true},
		{"US imports rose", "us imports rose", false},
		{"Us imports rose", "US imports rose", false},
		{"The user works at Globex", "The user works at globex", false},
		{"Is it raining?", "Is it raining", false},
		{"Is it raining?", "is it raining?", true},
		{"Wait...", "Wait..", false},
		{"Wait...", "Wait", false},
		{"\"Yes.\"", "\"yes.\"", false},
		{"X is 3", "x is 3", false},
		{"Run `make`.", "run `make`", false},
		{"Port is 8080", "Port is 8081", false},
		{"GetName is slow", "getName is slow", false},
		{".", "", false},
	} {
		t.Run("UMP-3.3-12 "+c.a+" and "+c.b, func(t *testing.T) {
			for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
				if got := slices.Contains(ump.DuplicateKeys(record(pair[0])), ump.DuplicateKey(record(pair[1]))); got != c.same {
					t.Errorf("%q and %q are the same: %t", pair[0], pair[1], got)
				}
			}
		})
	}
}
