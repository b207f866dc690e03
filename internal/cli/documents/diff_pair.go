package documents

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The ways to match two records, surest first. The last uses the text alone, as not
// every format states a memory's kind.
var pairings = [...]string{"id", "source", "text", "text"}

// keyOf holds the fingerprints that match a record, in that order; zero: none of this
// kind.
type keyOf [len(pairings)][16]byte

// fingerprint identifies a text in little memory.
func fingerprint(parts ...string) (f [16]byte) {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	copy(f[:], h.Sum(nil))
	return f
}

// keysOf returns the fingerprints of a record.
func keysOf(rec memory.Record) (k keyOf) {
	if rec.ID != "" {
		k[0] = fingerprint(string(rec.ID))
	}
	if s := elsewhereOf(rec); s != "" {
		k[1] = fingerprint(s)
	}
	k[2] = fingerprint(string(rec.Kind), strings.TrimSpace(rec.Body.Text))
	k[3] = fingerprint(strings.TrimSpace(rec.Body.Text))
	return k
}

// elsewhereOf names a record's id in another system.
func elsewhereOf(rec memory.Record) string {
	if rec.Provenance == nil || rec.Provenance.Source == nil || rec.Provenance.Source.Ref == "" {
		return ""
	}
	return rec.Provenance.Source.Provider + " " + rec.Provenance.Source.Ref
}

// match says which record of the other side matches, and why.
type match struct {
	with int // -1: none
	by   string
}

// pair finds for each record of the left the record of the right that is the same
// memory. Of several candidates it takes the first that is not paired yet.
func pair(left, right []keyOf) []match {
	pairs := make([]match, len(left))
	for i := range pairs {
		pairs[i].with = -1
	}
	taken := make([]bool, len(right))
	for by, name := range pairings {
		pairBy(by, left, right, func(i, j int) bool {
			if pairs[i].with >= 0 || taken[j] {
				return false
			}
			pairs[i], taken[j] = match{j, name}, true
			return true
		}, func(i int) bool { return pairs[i].with < 0 }, taken)
	}
	return pairs
}

// pairBy offers the pairs that match by one kind of key.
func pairBy(by int, left, right []keyOf, take func(i, j int) bool, open func(i int) bool, taken []bool) {
	free := map[[16]byte][]int{}
	for j := range right {
		if !taken[j] && right[j][by] != ([16]byte{}) {
			free[right[j][by]] = append(free[right[j][by]], j)
		}
	}
	for i := range left {
		waiting := free[left[i][by]]
		if open(i) && len(waiting) > 0 && take(i, waiting[0]) {
			free[left[i][by]] = waiting[1:]
		}
	}
}

// unsaid is the time of records without one; no document uses it.
var unsaid = time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)

// differences returns the pointers of the members in which two records differ.
func (c *DiffCmd) differences(one, other memory.Record) []string {
	if c.Texts {
		one, other = texts(one), texts(other)
	}
	one, other = alike(one, other)
	return slices.DeleteFunc(codec.Differences(one, other), func(pointer string) bool {
		return !c.below(pointer)
	})
}

// alike removes differences that do not count from two records: data that only one of
// their formats has for a whole document, such as ids, an owner, dates or signatures.
func alike(one, other memory.Record) (memory.Record, memory.Record) {
	one, other = spelledOut(one), spelledOut(other)
	if nobody(one) || nobody(other) {
		one, other = unnamed(one), unnamed(other)
	}
	if one.ID == "" || other.ID == "" {
		one.ID, other.ID = "", ""
	}
	for _, t := range [][2]*time.Time{
		{&one.Time.Created, &other.Time.Created}, {&one.Time.Observed, &other.Time.Observed}, {&one.Time.ValidFrom, &other.Time.ValidFrom},
	} {
		if t[0].Equal(unsaid) || t[1].Equal(unsaid) {
			*t[0], *t[1] = time.Time{}, time.Time{}
		}
	}
	return one, other
}

// spelledOut returns a record with its default values written out, and without a
// signature.
func spelledOut(rec memory.Record) memory.Record {
	rec.Version, rec.Integrity = "", nil
	rec.Lifecycle.Status = rec.Lifecycle.Status.Or()
	if rec.Scope.Visibility == "" {
		rec.Scope.Visibility = memory.Private
	}
	if rec.Time.Observed.IsZero() {
		rec.Time.Observed = rec.Time.Created
	}
	rec.Time.ValidFrom = rec.Time.From()
	return rec
}

// nobody reports whether a document did not name the record's owner.
func nobody(rec memory.Record) bool { return rec.Scope.Owner == inspected }

// unnamed returns a record without its owner.
func unnamed(rec memory.Record) memory.Record {
	if rec.Provenance != nil && rec.Provenance.Actor == string(rec.Scope.Owner) {
		said := *rec.Provenance
		said.Actor, rec.Provenance = "", &said
	}
	rec.Scope.Owner = ""
	return rec
}

// texts returns a record reduced to its text.
func texts(rec memory.Record) memory.Record {
	return memory.Record{Kind: rec.Kind, Body: memory.Body{Text: strings.TrimSpace(rec.Body.Text)}}
}
