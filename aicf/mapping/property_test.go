package mapping_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// drawRecord draws a record, signed or not, that may speak of those before it.
func drawRecord(t *rapid.T, key *keys.Private, before []memory.Record) memory.Record {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"a|b", "a\nb", `C:\new`, "x->y", "@INSIGHTS a|b|c|d", " ", "\r", "\x00\x01", "key: value", "a Rationale: b", "12|x"}),
		rapid.StringN(1, 30, 120)).Draw(t, "text")
	share := func(name string) *float64 {
		if !rapid.Bool().Draw(t, "has "+name) {
			return nil
		}
		n := float64(rapid.IntRange(0, 100).Draw(t, name)) / 100
		return &n
	}
	at := mapTime.Add(time.Duration(rapid.IntRange(-5, 5).Draw(t, "hour")) * time.Hour)
	r := memory.Record{
		Kind: rapid.SampledFrom(memory.Kinds()).Draw(t, "kind"), Body: memory.Body{Text: text + rapid.SampledFrom([]string{"", ".", "\t"}).Draw(t, "end")},
		Scope: memory.Scope{
			Owner: key.DID(), Session: rapid.SampledFrom([]string{"", "s1", "s 2", "a->b", "s\n3"}).Draw(t, "session"),
			User: rapid.SampledFrom([]string{"", "ann"}).Draw(t, "user"), Agent: rapid.SampledFrom([]string{"", "desk"}).Draw(t, "agent"),
		},
		Time:       memory.Times{Created: at},
		Lifecycle:  memory.Lifecycle{Salience: share("salience"), Confidence: share("confidence"), Status: rapid.SampledFrom([]memory.Status{"", memory.Active, memory.Candidate, memory.Tombstoned}).Draw(t, "status")},
		Provenance: &memory.Provenance{Actor: "ann", ActorKind: memory.ByUser, Method: "stated"},
	}
	if len(before) > 0 {
		other := rapid.SampledFrom(before).Draw(t, "other").ID
		if rapid.Bool().Draw(t, "supersedes") {
			r.Supersedes = []memory.ID{other}
		}
		if kind := rapid.SampledFrom([]string{"", memory.DependsOn, memory.About, memory.Contradicts}).Draw(t, "relation"); kind != "" {
			r.Relations = []memory.Relation{{Type: kind, Target: string(other)}, {Type: memory.About, Target: "entity:well"}}
		}
	}
	if !rapid.Bool().Draw(t, "signed") {
		key = nil
	}
	made, err := ump.Author(r, key)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func drawRecords(t *rapid.T, key *keys.Private) []memory.Record {
	var all []memory.Record
	seen := map[memory.ID]bool{}
	for range rapid.IntRange(1, 6).Draw(t, "records") {
		r := drawRecord(t, key, all)
		if !seen[r.ID] {
			all, seen[r.ID] = append(all, r), true
		}
	}
	return all
}

func sameJSON(a, b []byte) bool {
	read := canon.Options{Inexact: true}
	x, errX := canon.Canonical(a, read)
	y, errY := canon.Canonical(b, read)
	return errX == nil && errY == nil && string(x) == string(y)
}

// testKey is the key of the owner in tests.
func testKey(t testing.TB) *keys.Private {
	t.Helper()
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	return &key
}

func TestRecordsComeBack(t *testing.T) {
	key := testKey(t)
	rapid.Check(t, func(r *rapid.T) {
		want := drawRecords(r, key)
		text, losses := fileOf(t, want...)
		if len(losses) > 0 {
			r.Fatalf("losses %v", losses)
		}
		got, losses := recordsIn(t, text)
		if len(got) != len(want) || len(losses) > 0 {
			r.Fatalf("%d records became %d, losses %v\n%s", len(want), len(got), losses, text)
		}
		forms, place := map[memory.ID][]byte{}, map[memory.ID]int{}
		for i, g := range got {
			forms[g.ID], place[g.ID] = g.Form(), i
		}
		for _, w := range want {
			if !sameJSON(w.Form(), forms[w.ID]) {
				r.Fatalf("L2 got\n%s\nwant\n%s\nin\n%s", forms[w.ID], w.Form(), text)
			}
			if w.Integrity != nil && ump.Verify(forms[w.ID]) != nil {
				r.Fatalf("the signature of %s does not verify", w.ID)
			}
			for _, old := range w.Supersedes {
				if place[old] > place[w.ID] {
					r.Fatalf("%s stands behind its successor", old)
				}
			}
		}
		if again, _ := fileOf(t, got...); again != text {
			r.Fatalf("a second round changed\n%s\ninto\n%s", text, again)
		}
		stripped(r, t, text, want)
	})
}

// stripped takes the records that ride along away: what is left says what is a fact.
func stripped(r *rapid.T, t *testing.T, text string, want []memory.Record) {
	got, _ := recordsIn(t, withoutRides(text))
	texts := map[string]bool{}
	for _, g := range got {
		texts[g.Body.Text] = true
		if err := ump.CheckLevel2(g); err != nil {
			r.Fatalf("L3 %v", err)
		}
	}
	for _, w := range want {
		plain := strings.Map(func(c rune) rune {
			if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
				return -1
			}
			return c
		}, w.Body.Text)
		fact := w.Lifecycle.Status.Or() == memory.Active
		if fact && strings.TrimSpace(plain) != "" && !texts[plain] {
			r.Fatalf("L3 %q is not said in\n%s", plain, withoutRides(text))
		}
		if !fact && texts[plain] && !saidByOther(want, w) {
			r.Fatalf("%q is said as a fact", plain)
		}
	}
}

func saidByOther(all []memory.Record, r memory.Record) bool {
	for _, o := range all {
		if o.ID != r.ID && o.Lifecycle.Status.Or() == memory.Active && strings.Trim(o.Body.Text, "\x00\x01") == strings.Trim(r.Body.Text, "\x00\x01") {
			return true
		}
	}
	return false
}

// withoutRides leaves the sections out in which records ride along, and numbers the rest anew.
func withoutRides(text string) string {
	var b strings.Builder
	n, within := 0, false
	for line := range strings.Lines(text) {
		_, data, _ := strings.Cut(line, "|")
		if strings.HasPrefix(data, "@") {
			within = strings.HasPrefix(data, "@UMP_RECORD:")
		}
		if !within {
			n++
			fmt.Fprintf(&b, "%d|%s", n, data)
		}
	}
	return b.String()
}
