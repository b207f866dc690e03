package aaif_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// snapshot returns a state with these items of memory.
func snapshot(t testing.TB, items string) aaif.State {
	t.Helper()
	return aaif.ReadState(set(sample(t, "state").Value, "/memory_snapshot", tree(t, items)))
}

func restored(t testing.TB, s aaif.State, o aaif.MemoryOptions) ([]memory.Record, []codec.Loss) {
	t.Helper()
	drafts, lost, err := s.Memories(o)
	if err != nil {
		t.Fatal(err)
	}
	return drafts, lost
}

// reasons lists why something was lost; each is declared.
func reasons(t testing.TB, lost []codec.Loss) string {
	t.Helper()
	var list []string
	for _, l := range lost {
		if !aaif.MemoryLosses().Covers(l) {
			t.Errorf("%s is not declared", l)
		}
		list = append(list, l.Pointer+" "+l.Reason)
	}
	return strings.Join(list, "\n")
}

const everyItem = `[
	{"scope":"user","key":"company","content":"Acme Ltd","backend":"sqlite","captured_at":"2026-06-10T09:17:43+02:00","ttl_remaining_seconds":0},
	{"scope":"session","key":"tone","content":"formal","ttl_remaining_seconds":10},
	{"key":"n","scope":"task","content":"3\u00e9","ttl_remaining_seconds":90061},
	{"scope":"long_term","key":"","content":"VAT is 19 %","x-more":[1.50,{"a":null}],"ttl_remaining_seconds":172800},
	{"scope":"long_term","key":"far","content":"x","ttl_remaining_seconds":9007199254740991},
	{"scope":"user","key":"later","content":"x","captured_at":"2027-01-01T00:00:00Z"}
]`

func TestMemoryRoundTrip(t *testing.T) {
	s := snapshot(t, everyItem)
	o := aaif.MemoryOptions{Now: issued, Owner: "did:key:z", SameUser: true, User: "bob", Session: "s1"}
	drafts, lost := restored(t, s, o)
	t.Run("AAIF-8.1-13 what was restored is the same snapshot, to the last member", func(t *testing.T) {
		items, more := aaif.Snapshot(slices.Values(drafts), aaif.SnapshotOptions{User: "bob", Session: "s1"})
		got := aaif.State{Memory: items}.Document().Get("memory_snapshot")
		if g, w := string(got.AppendCanonical(nil)), string(tree(t, everyItem).AppendCanonical(nil)); g != w {
			t.Errorf("got  %s\nwant %s", g, w)
		}
		expect(t, reasons(t, lost), "/memory_snapshot/4/ttl_remaining_seconds longer than a hundred years: kept without end")
		expect(t, reasons(t, more), "")
	})
	t.Run("AAIF-8.1-13 scopes", func(t *testing.T) {
		var got []string
		for _, r := range drafts {
			got = append(got, fmt.Sprintf("%s/%s/%s/%s", r.Kind, r.Scope.User, r.Scope.Session, r.Scope.Agent))
			expect(t, r.Scope.Owner, "did:key:z")
			expect(t, r.Scope.Visibility, "")
			expect(t, r.Provenance.ActorKind, memory.ByImport)
		}
		expect(t, strings.Join(got, " "), "semantic/bob// working/bob/s1/ working/bob//7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01 semantic/// semantic/// semantic/bob//")
		expect(t, drafts[0].Time.Observed.Equal(time.Date(2026, 6, 10, 7, 17, 43, 0, time.UTC)), true)
		expect(t, drafts[5].Time.Observed.IsZero(), true) // nothing is observed after it is told
		expect(t, drafts[0].Provenance.Source.Ref, "d7e8f9a0-1234-4000-8000-000000000001#company")
	})
	t.Run("AAIF-8.1-14 no numbers where a vector would be, neither in items nor in records", func(t *testing.T) {
		for _, r := range drafts {
			r.Body.Structured = json.RawMessage(`{"embedding":[0.5,0.25]}`)
			items, lost := aaif.Snapshot(slices.Values([]memory.Record{r}), aaif.SnapshotOptions{User: r.Scope.User, Session: r.Scope.Session})
			if text := string(aaif.State{Memory: items}.Document().Append(nil)); len(items) != 1 || strings.Contains(text, "0.25") {
				t.Errorf("got %s", text)
			}
			if !strings.Contains(reasons(t, lost), "/body/structured structured content has no place in an item") {
				t.Errorf("lost %v", lost)
			}
		}
	})
}

func TestMemoryTTL(t *testing.T) {
	s := snapshot(t, `[{"scope":"user","key":"k","content":"c","ttl_remaining_seconds":60}]`)
	drafts, _ := restored(t, s, aaif.MemoryOptions{Now: issued, SameUser: true})
	for _, c := range []struct {
		after time.Duration
		ttl   int
		there bool
	}{
		{0, 60, true}, {time.Millisecond, 60, true}, {50 * time.Second, 10, true}, {59*time.Second + 1, 1, true}, {60*time.Second - 1, 1, true},
		{60 * time.Second, 0, false}, {time.Hour, 0, false},
	} {
		t.Run(fmt.Sprintf("AAIF-8.1-15 of 60 seconds after %v", c.after), func(t *testing.T) {
			now := issued.Add(c.after)
			items, lost := aaif.Snapshot(slices.Values(drafts), aaif.SnapshotOptions{Now: now})
			expect(t, len(items) == 1, c.there)
			if c.there {
				expect(t, items[0].TTL, c.ttl)
				expect(t, items[0].CapturedAt, now)
				return
			}
			expect(t, reasons(t, lost), " expired: it is left out")
		})
	}
	t.Run("AAIF-8.1-15 captured with 10 seconds left, it is gone 11 seconds after it was restored", func(t *testing.T) {
		items, _ := aaif.Snapshot(slices.Values(drafts), aaif.SnapshotOptions{Now: issued.Add(50 * time.Second)})
		then := issued.Add(time.Hour)
		again, _ := restored(t, aaif.ReadState(aaif.State{Memory: items}.Document()), aaif.MemoryOptions{Now: then, SameUser: true})
		for after, want := range map[time.Duration]int{9 * time.Second: 1, 11 * time.Second: 0} {
			items, _ := aaif.Snapshot(slices.Values(again), aaif.SnapshotOptions{Now: then.Add(after)})
			expect(t, len(items), want)
		}
	})
	t.Run("AAIF-8.1-15 what ends within the second has one left", func(t *testing.T) {
		drafts, _ := restored(t, s, aaif.MemoryOptions{Now: issued.Add(500 * time.Millisecond), SameUser: true})
		items, _ := aaif.Snapshot(slices.Values(drafts), aaif.SnapshotOptions{Now: issued.Add(60*time.Second + 200*time.Millisecond)})
		expect(t, len(items), 1)
		expect(t, items[0].TTL, 1)
	})
	t.Run("AAIF-8.1-15 0 never expires", func(t *testing.T) {
		drafts, _ := restored(t, snapshot(t, `[{"scope":"user","key":"k","content":"c","ttl_remaining_seconds":0}]`), aaif.MemoryOptions{Now: issued, SameUser: true})
		items, _ := aaif.Snapshot(slices.Values(drafts), aaif.SnapshotOptions{Now: issued.AddDate(500, 0, 0)})
		expect(t, len(items), 1)
		expect(t, items[0].TTL, 0)
	})
	t.Run("AAIF-8.1-15 less than 0 is not restored", func(t *testing.T) {
		drafts, lost := restored(t, snapshot(t, `[{"scope":"user","key":"k","content":"c","ttl_remaining_seconds":-1}]`), aaif.MemoryOptions{SameUser: true})
		expect(t, len(drafts), 0)
		expect(t, reasons(t, lost), "/memory_snapshot/0 expired: it is left out")
	})
	t.Run("AAIF-8.1-15 a retention that was changed, and what ceases to be true", func(t *testing.T) {
		r := drafts[0]
		r.Consent = &memory.Consent{Retention: "P1D"}
		r.Time.ValidTo = issued.Add(7 * time.Second)
		items, _ := aaif.Snapshot(slices.Values([]memory.Record{r}), aaif.SnapshotOptions{Now: issued})
		expect(t, items[0].TTL, 7)
		r.Time.ValidTo = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
		items, _ = aaif.Snapshot(slices.Values([]memory.Record{r}), aaif.SnapshotOptions{Now: issued})
		expect(t, items[0].TTL, 86400)
		r.Consent = nil
		items, _ = aaif.Snapshot(slices.Values([]memory.Record{r}), aaif.SnapshotOptions{Now: issued})
		expect(t, items[0].TTL > 250_000_000_000, true)
	})
}

func TestMemoryPrincipal(t *testing.T) {
	all := `[{"scope":"task","key":"a","content":"c"},{"scope":"long_term","key":"b","content":"c"},%s]`
	for scope, word := range map[string]bool{"user": true, "session": true, "team": true, "task": false, "long_term": false} {
		t.Run("AAIF-8.2-9 AAIF-U.Q-1 somebody else restores "+scope, func(t *testing.T) {
			drafts, _, err := snapshot(t, fmt.Sprintf(all, `{"scope":"`+scope+`","key":"c","content":"c"}`)).Memories(aaif.MemoryOptions{User: "bob", Session: "s1"})
			expect(t, aaif.CodeOf(err) == aaif.PrincipalMismatch, word)
			expect(t, len(drafts) == 0, word)
			if word {
				expect(t, pathOf(err), "/memory_snapshot/2")
			}
		})
	}
	t.Run("AAIF-U.Q-1 the same person in a new session, and in the old one", func(t *testing.T) {
		s := snapshot(t, `[{"scope":"session","key":"c","content":"c"}]`)
		drafts, lost := restored(t, s, aaif.MemoryOptions{SameUser: true})
		expect(t, len(drafts), 0)
		expect(t, reasons(t, lost), "/memory_snapshot/0 of a session that does not go on: it is left out")
		drafts, lost = restored(t, s, aaif.MemoryOptions{SameUser: true, Session: "s2"})
		expect(t, len(drafts), 1)
		expect(t, drafts[0].Scope.Session, "s2")
		expect(t, len(lost), 0)
	})
	t.Run("AAIF-8.1-13 what is empty is no memory", func(t *testing.T) {
		_, lost := restored(t, snapshot(t, `[{"scope":"task","key":"a","content":""}]`), aaif.MemoryOptions{})
		expect(t, reasons(t, lost), "/memory_snapshot/0 empty: there is nothing to remember")
	})
}

func TestSnapshotOfOthers(t *testing.T) {
	base := memory.Record{ID: "urn:ump:a", Kind: memory.Semantic, Body: memory.Body{Text: "c"}, Time: memory.Times{Created: issued}}
	with := func(edit func(*memory.Record)) memory.Record { r := base; edit(&r); return r }
	longTerm := codec.WithResidue(base, "aaif", tree(t, `{"scope":"long_term","key":"k"}`))
	for _, c := range []struct {
		name  string
		r     memory.Record
		o     aaif.SnapshotOptions
		scope aaif.Scope
		lost  string
	}{
		{"the owner's", base, aaif.SnapshotOptions{}, aaif.UserScope, ""},
		{"the owner's, for somebody else", base, aaif.SnapshotOptions{User: "bob"}, "", " about another person: it is not in the snapshot"},
		{"of another person", with(func(r *memory.Record) { r.Scope.User = "eve" }), aaif.SnapshotOptions{User: "bob"}, "", " about another person: it is not in the snapshot"},
		{"of another person, for the owner", with(func(r *memory.Record) { r.Scope.User = "eve" }), aaif.SnapshotOptions{}, "", " about another person: it is not in the snapshot"},
		{"of all", longTerm, aaif.SnapshotOptions{User: "bob"}, aaif.LongTermScope, ""},
		{"of all, that became somebody's", func() memory.Record { r := longTerm; r.Scope.User = "eve"; return r }(), aaif.SnapshotOptions{User: "bob"}, "", " about another person: it is not in the snapshot"},
		{"of a session", with(func(r *memory.Record) { r.Scope.Session, r.Kind = "s1", memory.Working }), aaif.SnapshotOptions{Session: "s1"}, aaif.SessionScope, ""},
		{"of another session", with(func(r *memory.Record) { r.Scope.Session = "s2" }), aaif.SnapshotOptions{Session: "s1"}, "", " of another session: it is not in the snapshot"},
		{"of a task", with(func(r *memory.Record) { r.Scope.Agent, r.Kind = "a", memory.Working }), aaif.SnapshotOptions{AgentID: "a"}, aaif.TaskScope, ""},
		{"of another agent", with(func(r *memory.Record) { r.Scope.Agent, r.Kind = "b", memory.Working }), aaif.SnapshotOptions{AgentID: "a"}, "", " of another agent: it is not in the snapshot"},
		{"a candidate", with(func(r *memory.Record) { r.Lifecycle.Status = memory.Candidate }), aaif.SnapshotOptions{}, "", " proposed, replaced or erased: it is not in the snapshot"},
		{"replaced", with(func(r *memory.Record) { r.SupersededBy = []memory.ID{"x"} }), aaif.SnapshotOptions{}, "", " proposed, replaced or erased: it is not in the snapshot"},
	} {
		t.Run("AAIF-8.1-13 a record "+c.name, func(t *testing.T) {
			items, lost := aaif.Snapshot(slices.Values([]memory.Record{c.r}), c.o)
			expect(t, reasons(t, lost), c.lost)
			if len(items) != 1 != (c.scope == "") || len(items) == 1 && items[0].Scope != c.scope {
				t.Errorf("got %+v", items)
			}
		})
	}
	t.Run("AAIF-8.1-13 a record of one's own has its id for a key", func(t *testing.T) {
		items, _ := aaif.Snapshot(slices.Values([]memory.Record{base, with(func(r *memory.Record) { r.ID = "" })}), aaif.SnapshotOptions{})
		expect(t, items[0].Key+" "+items[1].Key, "urn:ump:a record-1")
	})
}

// Whatever a record says and an item cannot is told.
func TestSnapshotLosses(t *testing.T) {
	half, no := 0.5, false
	r := memory.Record{ID: "urn:ump:a", Kind: memory.Procedural, Body: memory.Body{Text: "c", Structured: json.RawMessage(`{"tags":["a"]}`)},
		Scope: memory.Scope{Project: "p", Visibility: memory.Shared}, Time: memory.Times{Created: issued, Observed: issued, ValidFrom: issued},
		Lifecycle: memory.Lifecycle{Confidence: &half}, Supersedes: []memory.ID{"x"}, Relations: []memory.Relation{{Type: "about", Target: "entity:x"}},
		Provenance: &memory.Provenance{Actor: "ada"}, Consent: &memory.Consent{Exportable: &no}, Integrity: &memory.Integrity{Signature: "ed25519:x"}}
	items, lost := aaif.Snapshot(slices.Values([]memory.Record{r}), aaif.SnapshotOptions{Now: issued})
	t.Run("AAIF-8.1-13 what an item cannot say is told", func(t *testing.T) {
		expect(t, len(items), 1)
		var at []string
		for _, l := range lost {
			at = append(at, l.Pointer)
			expect(t, l.ID, "urn:ump:a")
		}
		reasons(t, lost)
		expect(t, strings.Join(at, " "), "/kind /body/structured /scope /relations /provenance /lifecycle /consent /time /supersedes /integrity")
	})
	t.Run("AAIF-8.1-13 a plain record loses but its date", func(t *testing.T) {
		plain := memory.Record{ID: "urn:ump:a", Kind: memory.Semantic, Body: memory.Body{Text: "c"}, Time: memory.Times{Created: issued}}
		_, lost := aaif.Snapshot(slices.Values([]memory.Record{plain}), aaif.SnapshotOptions{})
		expect(t, reasons(t, lost), "")
		_, lost = aaif.Snapshot(slices.Values([]memory.Record{plain}), aaif.SnapshotOptions{Now: issued})
		expect(t, len(lost), 1)
		expect(t, lost[0].Pointer, "/time")
	})
}

func TestResidueOfItems(t *testing.T) {
	t.Run("the text of an item stands in its record once", func(t *testing.T) {
		drafts, _ := restored(t, snapshot(t, everyItem), aaif.MemoryOptions{SameUser: true, Session: "s"})
		for _, r := range drafts {
			was, ok := codec.Residue(r, "aaif")
			expect(t, ok, true)
			expect(t, was.Has("content"), false)
			expect(t, was.Type(), canon.TypeObject)
		}
	})
}

func TestKeepsLongTerm(t *testing.T) {
	for _, c := range []struct {
		safety aaif.Safety
		pii    aaif.PII
		want   bool
	}{
		{aaif.Standard, aaif.PIIDetect, true}, {aaif.Minimal, aaif.PIINone, true}, {"", "", true},
		{aaif.Strict, aaif.PIIDetect, false}, {aaif.Regulated, "", false}, {aaif.Regulated, aaif.PIIReject, false},
		{aaif.Strict, aaif.PIIAnonymize, true}, {aaif.Regulated, aaif.PIIEncrypt, true},
		{"maximum", aaif.PIIDetect, false}, {"maximum", aaif.PIIAnonymize, true},
	} {
		t.Run(fmt.Sprintf("R45 %s %s", c.safety, c.pii), func(t *testing.T) {
			expect(t, aaif.KeepsLongTerm(c.safety, c.pii), c.want)
		})
	}
}
