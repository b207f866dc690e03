package engram_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/ump"
)

func drawOf(t *rapid.T, name string, choices ...string) string {
	return rapid.SampledFrom(choices).Draw(t, name)
}

func drawText(t *rapid.T, name string) string {
	return rapid.OneOf(rapid.StringN(0, 12, -1), rapid.SampledFrom([]string{"key: value", "", "a\nb\u2028", "In x: y", "😀"})).Draw(t, name)
}

func drawStamp(t *rapid.T, name string) string {
	return fmt.Sprintf("202%d-0%d-1%dT0%d:00:00%s%s", rapid.IntRange(0, 5).Draw(t, name), rapid.IntRange(1, 9).Draw(t, "m"), rapid.IntRange(0, 9).Draw(t, "d"),
		rapid.IntRange(0, 9).Draw(t, "h"), drawOf(t, "fraction", "", ".5", ".123456789"), drawOf(t, "zone", "Z", "+02:00", "-00:00"))
}

// extended adds members that nobody knows.
func extended(t *rapid.T, v canon.Value) canon.Value {
	for range rapid.IntRange(0, 2).Draw(t, "unknown") {
		x, err := canon.Parse([]byte(drawOf(t, "value", `1.50`, `null`, `{"a":[1e3,true]}`, `"x"`)), canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v = v.With(drawOf(t, "member", "x_a", "x_b"), x)
	}
	return v
}

func uuidOf(group, n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", group, n) }

// drawBelief draws a belief that is not deleted.
func drawBelief(t *rapid.T, i int) canon.Value {
	v := canon.Object().With("id", canon.String(uuidOf(1, i))).With("category", canon.String(drawOf(t, "category", "communication", "health", "travel"))).
		With("key", canon.String(drawOf(t, "key", "k", "email_style", "a: b"))).With("value", canon.String(drawText(t, "value")))
	if rapid.Bool().Draw(t, "typed") {
		v = v.With("value_type", canon.String(drawOf(t, "type", "string", "enum")))
	}
	c, _ := canon.Parse([]byte(drawOf(t, "confidence", "0", "1", "1.0", "0.80", "0.333")), canon.Options{})
	v = v.With("confidence", c).With("source", canon.String(drawOf(t, "source", "user_stated", "inferred", "corrected"))).
		With("status", canon.String(drawOf(t, "status", "active", "active", "archived"))).With("created_at", canon.String(drawStamp(t, "created")))
	if rapid.Bool().Draw(t, "confirmed") {
		v = v.With("last_confirmed", canon.String(drawStamp(t, "last")))
	}
	if rapid.Bool().Draw(t, "stale") {
		v = v.With("stale_after_days", canon.Int(int64(rapid.IntRange(0, 400).Draw(t, "days"))))
	}
	if rapid.Bool().Draw(t, "tagged") {
		v = v.With("tags", canon.Array(canon.String(drawText(t, "tag"))))
	}
	return extended(t, v)
}

// drawGone draws a tombstone in one of its shapes.
func drawGone(t *rapid.T, i int) canon.Value {
	v := canon.Object().With("id", canon.String(uuidOf(1, i))).With("status", canon.String("deleted")).With("deleted_at", canon.String(drawStamp(t, "deleted")))
	if rapid.Bool().Draw(t, "whole") {
		v = v.With("category", canon.String("health")).With("key", canon.String("k")).With("value", canon.String("")).
			With("confidence", canon.Int(0)).With("source", canon.String("inferred")).With("created_at", canon.String(drawStamp(t, "created")))
	}
	return v
}

// drawHistory draws evolution and corrections of a belief, with gaps and in any order.
func drawHistory(t *rapid.T, b canon.Value, n *int) (evolution, corrections []canon.Value) {
	id, value := b.Get("id"), b.Get("value").Text()
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		*n++
		old, now := drawText(t, "old"), drawText(t, "new")
		if rapid.Bool().Draw(t, "to the present value") {
			now = value
		}
		at := canon.String(drawStamp(t, "changed"))
		e := canon.Object().With("id", canon.String(uuidOf(2, *n))).With("belief_id", id).With("old_value", canon.String(old)).With("new_value", canon.String(now)).
			With("changed_at", at).With("trigger", canon.String(drawOf(t, "trigger", "user_correction", "expiry", "natural_update", "contradiction_resolution")))
		if rapid.Bool().Draw(t, "context") {
			e = e.With("context", canon.String(drawText(t, "context")))
		}
		evolution = append(evolution, extended(t, e))
		if rapid.Bool().Draw(t, "corrected") {
			corrections = append(corrections, drawCorrection(t, id, old, now, at, n))
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "others") {
		corrections = append(corrections, drawCorrection(t, id, drawText(t, "old"), drawText(t, "new"), canon.String(drawStamp(t, "corrected")), n))
	}
	return evolution, corrections
}

func drawCorrection(t *rapid.T, id canon.Value, old, now string, at canon.Value, n *int) canon.Value {
	*n++
	c := canon.Object().With("id", canon.String(uuidOf(3, *n))).With("belief_id", id).With("corrected_by", canon.String(drawOf(t, "by", "user", "system", "governance_rule"))).
		With("corrected_at", at).With("old_value", canon.String(old)).With("new_value", canon.String(now)).With("method", canon.String(drawOf(t, "method", "explicit", "approved")))
	if rapid.Bool().Draw(t, "of a runtime") {
		c = c.With("corrected_by", canon.String("runtime")).With("method", canon.String("implicit")).With("runtime_id", canon.String("pal")).
			With("status", canon.String(drawOf(t, "resolution", "pending_user_confirmation", "confirmed", "rejected"))).With("observed_at", canon.String(drawStamp(t, "observed")))
	}
	return extended(t, c)
}

// drawExport draws an export that anybody might have issued.
func drawExport(t *rapid.T) canon.Value {
	var beliefs, evolution, corrections []canon.Value
	n := 0
	for i := range rapid.IntRange(0, 4).Draw(t, "beliefs") {
		if rapid.IntRange(0, 5).Draw(t, "gone") == 0 {
			beliefs = append(beliefs, drawGone(t, i))
			continue
		}
		b := drawBelief(t, i)
		e, c := drawHistory(t, b, &n)
		beliefs, evolution, corrections = append(beliefs, b), append(evolution, e...), append(corrections, c...)
	}
	evolution, corrections = rapid.Permutation(evolution).Draw(t, "e"), rapid.Permutation(corrections).Draw(t, "c")
	who := canon.Object().With("display_name", canon.String(drawText(t, "name"))).With("timezone", canon.String("Europe/Berlin"))
	if rapid.Bool().Draw(t, "role") {
		who = who.With("role", canon.String("Farmer; role: none")).With("created_at", canon.String(drawStamp(t, "since")))
	}
	issuer := canon.Object().With("name", canon.String("Garden")).With("url", canon.String("https://garden.example"))
	if rapid.Bool().Draw(t, "did") {
		issuer = issuer.With("did", canon.String("did:web:garden.example"))
	}
	v := canon.Object().With("engram_version", canon.String("0.1")).With("issued_at", canon.String(drawStamp(t, "issued"))).
		With("expires_at", canon.String("2030-01-01T00:00:00Z")).With("kid", canon.String("k")).With("issuer", issuer).
		With("subject", canon.Object().With("id", canon.String(drawOf(t, "subject", "did:web:a.example", uuidOf(9, 9))))).With("scope", canon.String("full")).
		With("signature", canon.String(engram.Unsigned)).With("identity", extended(t, who))
	v = v.With("beliefs", canon.Array(beliefs...)).With("evolution", canon.Array(evolution...)).With("corrections", canon.Array(corrections...))
	if rapid.Bool().Draw(t, "edition 0.1.2") {
		v = v.With("constraints", canon.Array(extended(t, canon.Object().With("id", canon.String(uuidOf(4, 1))).With("rule", canon.String("Never lie.")).
			With("category", canon.String("safety")).With("created_at", canon.String(drawStamp(t, "set"))).With("set_by", canon.String("user_stated")).
			With("status", canon.String(drawOf(t, "state", "active", "suspended"))))))
	}
	return extended(t, v)
}

// TestMapExportComesBack is law L1 of the mapping, and L3 for what lies between: an
// export that becomes records is, told again, the same document to the last byte of its
// canonical form.
func TestMapExportComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := drawExport(rt)
		opt := codec.Options{Owner: mapOwner, Now: mapNow}
		records, losses := open(t, opt, v.Append(nil))
		if len(losses) > 0 {
			rt.Fatalf("lost: %v\n%s", losses, v.Append(nil))
		}
		for _, r := range records {
			if found := ump.Violations(r.Form(), codec.Options{}); len(found) > 0 {
				rt.Fatalf("not a valid record: %v in %s", found[0], r.Form())
			}
		}
		again, losses := export(t, opt, records...)
		got, err := canon.Parse(again, canon.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		for _, core := range []string{"evolution", "corrections", "constraints", "beliefs", "identity"} {
			if !canon.Equal(got.Get(core), v.Get(core)) {
				rt.Fatalf("%s\n is %s\nwas %s\nlost %v", core, got.Get(core).AppendCanonical(nil), v.Get(core).AppendCanonical(nil), losses)
			}
		}
		if !canon.Equal(got, v) {
			rt.Fatalf("envelope\n is %s\nwas %s", got.AppendCanonical(nil), v.AppendCanonical(nil))
		}
	})
}
