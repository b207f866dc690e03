package storetest

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// strangers are owners with one word each, and with numbers in common.
var strangers = map[memory.DID]string{ada: "heron", bob: "curlew", "did:key:cyd": "kestrel"}

// misindexed changes index entries behind the store's back. No owner ever gets a
// record of another, and Check reports each change.
func misindexed(t *testing.T, empty func(t testing.TB) Files, secret func(memory.DID) []byte) {
	for _, tt := range []struct{ name, do string }{
		{"the index is gone", `DELETE FROM postings`},
		{"the index of one owner is gone", `DELETE FROM postings WHERE owner = (SELECT owner FROM records ORDER BY owner LIMIT 1)`},
		{"every owner has another's index", `UPDATE postings SET owner = coalesce((SELECT o.owner FROM owners o WHERE o.owner > postings.owner ORDER BY o.owner LIMIT 1),
			(SELECT o.owner FROM owners o ORDER BY o.owner LIMIT 1))`},
		{"numbers that no record has", `UPDATE postings SET entries = x'00040101010101010101' WHERE block = 1099511627776`},
		{"numbers that are keys of the second owner", `UPDATE postings SET entries = x'008180808080200101010101010101' WHERE block = 1099511627776`},
		{"numbers that are keys of the third owner", `UPDATE postings SET entries = x'008180808080400101010101010101' WHERE block = 1099511627776`},
		{"numbers of a block", `UPDATE postings SET block = 3 WHERE block = 1099511627776`},
		{"negative numbers", `UPDATE postings SET block = -1 WHERE block = 1099511627776`},
		{"the size of the index", `UPDATE owners SET documents = documents + 7, length = 0`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := empty(t)
			p := &place{t: t, store: files.Open(t, secret)}
			for owner, word := range strangers {
				p.update(owner, func(w store.Writer) {
					for n := range 3 {
						r := row(n)
						r.Origin = []byte(owner)
						value(w.Insert(r, words(word), store.Links{}))(t)
					}
				})
			}
			must(t, p.store.Close())
			files.Change(t, tt.do)
			p = &place{t: t, store: files.Open(t, secret)}
			same(t, "found", len(value(p.store.Check(t.Context()))(t)) > 0, true)
			for owner := range strangers {
				p.view(owner, func(r store.Reader) { ownOnly(t, r, owner) })
			}
			must(t, p.store.Close())
		})
	}
}

// ownOnly follows the index from every word, in addition to the owner's own numbers.
func ownOnly(t *testing.T, r store.Reader, owner memory.DID) {
	t.Helper()
	asked := []int64{1, 2, 3}
	for _, word := range strangers {
		for _, p := range value(r.Postings(word, 99))(t) {
			asked = append(asked, p.Document)
		}
	}
	own := 0
	for _, row := range value(r.Numbered(asked))(t) {
		if string(row.Origin) != string(owner) {
			t.Errorf("%s is led to a record of %s", owner, row.Origin)
		}
		own++
	}
	if own < 3 {
		t.Errorf("%s finds %d of 3 records by their numbers", owner, own)
	}
}
