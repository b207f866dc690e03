package umpsuite

import (
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// observeRecord checks any record that the server emitted.
func observeRecord(r *run, v canon.Value) {
	if v.Type() != canon.TypeObject {
		r.seen.blame("UMP-3.2-3", "there is no record where one should be")
		return
	}
	r.seen.records++
	if !ump.ValidID(memory.ID(v.Get("id").Text())) {
		r.seen.blame("UMP-2-3", "a record came without an id of the form urn:ump:…")
	}
	if created := v.Get("time").Get("created"); created.Type() != canon.TypeString {
		r.seen.blame("UMP-2-13", "a record came without time.created")
	}
	if r.level >= 2 && v.Get("provenance").Type() != canon.TypeObject && !redacts(v, "provenance") && !tombstoned(v) {
		r.seen.blame("UMP-2-24", "a record came without provenance")
	}
	owner := v.Get("scope").Get("owner").Text()
	if r.level >= 2 && !strings.HasPrefix(owner, "did:") {
		r.seen.blame("UMP-2.2-2", "a record came whose owner is no DID")
	}
	if owner != string(r.Owner) && owner != "" && v.Get("scope").Get("visibility").Text() != string(memory.Public) {
		r.seen.blame("UMP-2.2-6", "a record of another owner came, and it is not public")
	}
	observeMembers(r, v)
	observeIntegrity(r, v)
	if vector(v) {
		r.seen.blame("UMP-8-2", "a record carries a vector")
	}
}

func tombstoned(v canon.Value) bool {
	return v.Get("lifecycle").Get("status").Text() == string(memory.Tombstoned)
}

// redacts reports whether a record's own policy removes a member.
func redacts(v canon.Value, name string) bool {
	return slices.ContainsFunc(v.Get("consent").Get("redact").Items(), func(path canon.Value) bool {
		return strings.Contains(path.Text(), name)
	})
}

// ownMember begins the note for an unnamed member in a record that the run wrote without it.
// Section 2 does not name the member.
const ownMember = "a record: "

// observeMembers notes members that section 2 does not name, except the run's own, and rules
// of section 2 that the record breaks. For records that existed before the run, the notes do
// not count: a server keeps the members of the author.
func observeMembers(r *run, v canon.Value) {
	own := slices.Contains(r.made, memory.ID(v.Get("id").Text()))
	for _, found := range ump.Violations(v.Append(nil), codec.Options{Strict: true}) {
		switch found.Rule {
		case "UMP-2-27":
			switch {
			case strings.Contains(found.Path, planted):
			case own:
				r.seen.stranger("%s%s", ownMember, short(found.Path))
			default: // perhaps the author's
				r.seen.before = noted(r.seen.before, short(found.Path))
			}
		case "UMP-2.8-1", "UMP-2.8-2", "UMP-2.8-3", "UMP-5.1-1", "UMP-2.2-2", "UMP-2-24": // other checks judge these, or the level does
		default:
			if !own {
				r.seen.before = noted(r.seen.before, short(found.Path)+" breaks "+found.Rule)
				continue
			}
			r.seen.blame("UMP-1-3", "a record came that breaks %s at %s", found.Rule, short(found.Path))
		}
	}
}

// observeIntegrity verifies signatures, and reports required ones that are missing.
func observeIntegrity(r *run, v canon.Value) {
	integrity := v.Get("integrity")
	if integrity.Type() == canon.TypeUndefined {
		if r.level >= 3 {
			r.seen.blame("UMP-2-26", "a record came without integrity")
		}
		return
	}
	for _, name := range []string{"content_hash", "signature", "signer"} {
		if integrity.Get(name).Text() == "" {
			r.seen.blame("UMP-2.8-2", "integrity came without %s", name)
			return
		}
	}
	switch err := ump.Verify(v.Append(nil)); {
	case err == nil:
	case errors.Is(err, ump.ErrHash):
		r.seen.blame("UMP-2.8-1", "content_hash does not match the record")
	case errors.Is(err, ump.ErrSigner):
		r.seen.blame("UMP-2.8-3", "a record came that somebody else than its owner signed")
	case errors.Is(err, ump.ErrSignature):
		r.seen.blame("UMP-6.1-4", "a signature does not verify")
	default:
		r.seen.blame("UMP-5.1-1", "a signature cannot be checked: %v", err)
	}
}

// planted begins the names of the run's own unknown members.
const planted = "x_conformance"

// minVector is the shortest array of numbers that counts as a vector.
const minVector = 32

// vector reports whether a value holds a long array of numbers.
func vector(v canon.Value) bool {
	numbers := 0
	for _, item := range v.Items() {
		if item.Type() == canon.TypeNumber {
			numbers++
		}
		if vector(item) {
			return true
		}
	}
	return numbers >= minVector || slices.ContainsFunc(v.Members(), func(m canon.Member) bool { return vector(m.Value) })
}
