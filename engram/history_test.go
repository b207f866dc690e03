package engram_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

func days(n int) *int { return &n }

func TestEffective(t *testing.T) {
	for _, c := range []struct {
		rule, confirmed, created, now string
		after                         int
		confidence, want              float64
	}{
		{"ENGRAM-3.4-22", "2026-04-10T14:00:00Z", "2026-01-15T09:00:00Z", "2026-07-12T14:00:00Z", 90, 0.95, 0.65},
		{"ENGRAM-3.4-22", "2026-04-10T14:00:00Z", "2026-01-15T09:00:00Z", "2026-08-11T14:00:00Z", 90, 0.95, 0.30},
		{"ENGRAM-3.4-23", "2026-04-10T14:00:00Z", "2026-01-15T09:00:00Z", "2026-07-19T14:00:00Z", 90, 0.2, 0.2},
		{"ENGRAM-3.4-24", "2026-03-20T09:00:00Z", "", "2026-05-19T08:59:00Z", 60, 0.80, 0.80},
		{"ENGRAM-3.4-24", "2026-03-20T09:00:00Z", "", "2026-05-20T08:59:00Z", 60, 0.80, 0.80},
		{"ENGRAM-3.4-24", "2026-03-20T09:00:00Z", "", "2026-05-20T09:00:00Z", 60, 0.80, 0.70},
		{"ENGRAM-3.4-24", "2026-03-20T09:00:00.5Z", "", "2026-05-20T09:00:00.4Z", 60, 0.80, 0.80},
		{"ENGRAM-3.4-24", "2026-03-20T09:00:00Z", "", "2026-05-22T09:00:00Z", 60, 0.80, 0.50},
		{"ENGRAM-3.4-25", "", "2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z", 30, 0.8, 0.6},
		{"ENGRAM-3.4-20", "2026-03-20T09:00:00Z", "", "2036-05-22T09:00:00Z", -1, 0.8, 0.8},
		{"ENGRAM-3.4-20", "2026-03-20T09:00:00Z", "", "2026-03-21T09:00:00Z", 0, 0.8, 0.7},
		{"ENGRAM-3.4-24", "2026-03-20T09:00:00Z", "", "2026-03-19T09:00:00Z", 0, 0.8, 0.8},
		{"ENGRAM-3.4-24", "2026-03-20T09:00:00Z", "", "2026-05-22T09:00:00Z", 1 << 53, 0.8, 0.8},
		{"ENGRAM-3.4-25", "", "", "2026-05-22T09:00:00Z", 1, 0.8, 0.8},
		{"ENGRAM-3.4-24", "2026-03-20T09:00:00Z", "", "2026-03-22T09:00:00Z", 0, 0.555, 0.36},
		{"ENGRAM-3.4-21", "2026-03-20T09:00:00Z", "", "2026-03-20T10:00:00Z", 0, 0.555, 0.555},
	} {
		t.Run(c.rule+" at "+c.now, func(t *testing.T) {
			b := engram.Belief{Confidence: c.confidence}
			if c.after >= 0 {
				b.StaleAfter = days(c.after)
			}
			if c.confirmed != "" {
				b.LastConfirmed = at(t, c.confirmed)
			}
			if c.created != "" {
				b.CreatedAt = at(t, c.created)
			}
			if got := engram.Effective(b, at(t, c.now)); got != c.want || b.Confidence != c.confidence {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestTyped(t *testing.T) {
	for _, c := range []struct {
		kind, text, want string
		ok               bool
	}{
		{"", "yes", `"yes"`, true}, {"string", "42", `"42"`, true}, {"enum", "weekly", `"weekly"`, true},
		{"boolean", "Yes", `true`, true}, {"boolean", "TRUE", `true`, true}, {"boolean", "no", `false`, true}, {"boolean", "false", `false`, true},
		{"boolean", "yes please", `"yes please"`, false},
		{"number", "-1.5e2", `-1.5e2`, true}, {"number", "0x10", `"0x10"`, false}, {"number", "1 2", `"1 2"`, false}, {"number", `"1"`, `"\"1\""`, false},
		{"date", "2026-01-01", `"2026-01-01"`, false},
	} {
		t.Run("ENGRAM-3.4-8 "+c.kind+" "+c.text, func(t *testing.T) {
			got, ok := engram.Typed(engram.Belief{Text: c.text, ValueType: c.kind})
			if string(got.Append(nil)) != c.want || ok != c.ok {
				t.Errorf("got %s, %v", got.Append(nil), ok)
			}
		})
	}
}

func TestAt(t *testing.T) {
	m := parsed(t, []byte(sample)).Memory
	m.Evolution = append(m.Evolution,
		engram.Change{Belief: radio, Old: "short words", New: "shorter words", ChangedAt: at(t, "2026-03-10T10:00:00Z"), Trigger: engram.NaturalUpdate},
		engram.Change{Belief: sleep, Old: "naps after night shifts", New: "naps after night shifts", ChangedAt: at(t, "2026-03-15T10:00:00Z"), Trigger: engram.Expiry})
	m.Beliefs[0].Text = "shorter words"
	for when, want := range map[string]struct {
		text                             string
		beliefs, changes, corrections, k int
		sleep                            engram.Status
	}{
		"2026-01-04T00:00:00Z": {"", 0, 0, 0, 0, ""},
		"2026-01-20T00:00:00Z": {"long words", 1, 0, 0, 1, ""},
		"2026-02-10T10:00:00Z": {"short words", 3, 1, 1, 1, engram.Active},
		"2026-03-10T09:59:59Z": {"short words", 3, 1, 1, 1, engram.Active},
		"2026-03-12T00:00:00Z": {"shorter words", 3, 2, 1, 1, engram.Active},
		"2026-04-12T00:00:00Z": {"shorter words", 3, 3, 1, 1, engram.Archived},
	} {
		t.Run("ENGRAM-3.5-11 as of "+when, func(t *testing.T) {
			got := engram.At(m, at(t, when))
			if len(got.Beliefs) != want.beliefs || len(got.Evolution) != want.changes || len(got.Corrections) != want.corrections || len(got.Constraints) != want.k {
				t.Fatalf("got %+v", got)
			}
			if want.beliefs > 0 && got.Beliefs[0].Text != want.text {
				t.Errorf("got %q", got.Beliefs[0].Text)
			}
			if want.beliefs > 1 && got.Beliefs[1].Status != want.sleep {
				t.Errorf("got %q", got.Beliefs[1].Status)
			}
		})
	}
	t.Run("ENGRAM-4-4 what was confirmed later was not confirmed then, and is written so", func(t *testing.T) {
		b := engram.At(m, at(t, "2026-01-20T00:00:00Z")).Beliefs[0]
		if v := b.Wire(); v.Has("last_confirmed") || v.Get("value").Text() != "long words" {
			t.Errorf("got %s", v.Append(nil))
		}
		if m.Beliefs[0].Text != "shorter words" {
			t.Error("the memory was modified")
		}
	})
}

func TestEncode(t *testing.T) {
	t.Run("ENGRAM-1-4 what is read is written as it was, unknown members and numbers included", func(t *testing.T) {
		raw := edited(t, tree(t, sample), "/beliefs/0/extra", `[1.50]`).With("more", canon.String("x")).Append(nil)
		got, err := engram.Encode(parsed(t, raw))
		if err != nil || string(got) != string(raw) {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("ENGRAM-3.3-9 an edit shows, and leaves the rest alone", func(t *testing.T) {
		d := parsed(t, change(t, "/identity/language", `"en"`))
		d.Identity.Role, d.Kid, d.Beliefs[0].Text = "Harbour master", "key-9", "no words"
		d.Evolution = append(d.Evolution, engram.Change{ID: "e", Belief: radio})
		raw, err := engram.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		want := edited(t, tree(t, string(change(t, "/identity/language", `"en"`))), "/identity/role", `"Harbour master"`)
		want = edited(t, edited(t, want, "/kid", `"key-9"`), "/beliefs/0/value", `"no words"`)
		want = edited(t, want, "/evolution/1", `{"id":"e","belief_id":"`+radio+`","old_value":"","new_value":"","trigger":""}`)
		if string(raw) != string(want.Append(nil)) {
			t.Errorf("got  %s\nwant %s", raw, want.Append(nil))
		}
	})
	t.Run("ENGRAM-3.5-8 what is absent is not null", func(t *testing.T) {
		raw, err := engram.Encode(engram.Document{Version: "0.1", Memory: engram.Memory{Evolution: []engram.Change{{}}, Corrections: []engram.Correction{{}}, Beliefs: []engram.Belief{{}}, Constraints: []engram.Constraint{{}}}})
		if err != nil || slices.Contains([]byte(raw), 'N') {
			t.Fatalf("%s, %v", raw, err)
		}
		leaves(tree(t, string(raw)), "", func(pointer string, v canon.Value) {
			if v.Type() == canon.TypeNull {
				t.Errorf("%s is null", pointer)
			}
		})
		if got := tree(t, string(raw)).Get("evolution").Items()[0]; got.Has("note") || got.Has("changed_at") {
			t.Errorf("got %s", got.Append(nil))
		}
	})
	t.Run("ENGRAM-3.2-1 what has no version is not written", func(t *testing.T) {
		if raw, err := engram.Encode(engram.Document{}); err == nil {
			t.Errorf("got %s", raw)
		}
	})
}

func TestIDs(t *testing.T) {
	t.Run("ENGRAM-3.4-1 ids are UUIDs of version 4", func(t *testing.T) {
		ones := slices.Repeat([]byte{0xff}, 16)
		id, err := engram.NewID(reader(ones))
		if err != nil || id != "ffffffff-ffff-4fff-bfff-ffffffffffff" || !engram.IsID(id) {
			t.Errorf("got %s, %v", id, err)
		}
		if _, err := engram.NewID(reader(ones[:15])); err == nil {
			t.Error("made of too little")
		}
	})
	t.Run("ENGRAM-3.2-15 what is made of a text is stable, and another for another text", func(t *testing.T) {
		a := engram.SubjectID("did:key:z6MkA")
		if a != engram.SubjectID("did:key:z6MkA") || !engram.IsSubject(a) || !engram.IsID(a) {
			t.Errorf("got %s", a)
		}
		if a == engram.SubjectID("did:key:z6MkB") || engram.IDFrom("a", "bc") == engram.IDFrom("ab", "c") { // ENGRAM-3.2-17
			t.Error("two have one id")
		}
		if got := engram.IDFrom("engram-ump:urn:ump:a"); got != "ba356ae5-7b75-459c-9e87-66c0751ff416" {
			t.Errorf("got %s", got)
		}
	})
	for s, want := range map[string]bool{
		"550e8400-e29b-41d4-a716-446655440001": true, "550E8400-E29B-41D4-A716-446655440001": true,
		"550e8400-e29b-11d4-a716-446655440001": false, "550e8400-e29b-41d4-c716-446655440001": false,
		"550e8400e29b41d4a716446655440001": false, "550e8400-e29b-41d4-a716-44665544000g": false, "": false, "550e8400-e29b-41d4-a716-446655440001\n": false,
	} {
		t.Run("ENGRAM-3.4-1 "+s, func(t *testing.T) {
			if engram.IsID(s) != want {
				t.Errorf("not %v", want)
			}
		})
	}
}
