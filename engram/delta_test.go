package engram_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
)

func reader(b []byte) io.Reader { return bytes.NewReader(b) }

const emptyDelta = `{"changes":{"beliefs":{"added":[],"deleted":[],"updated":[]},"corrections":{"added":[]},"evolution":{"added":[]}},"engram_version":"0.1","generated_at":"2026-05-01T12:00:00.000123Z","since":"2026-05-01T11:00:00Z"}`

func TestDelta(t *testing.T) {
	since, now := at(t, "2026-05-01T11:00:00Z"), at(t, "2026-05-01T12:00:00.000123Z")
	t.Run("ENGRAM-3.9-DIFF-3 nothing has changed", func(t *testing.T) {
		got := engram.EncodeDelta(engram.Delta{Since: since, GeneratedAt: now})
		if string(got) != emptyDelta { // ENGRAM-3.9-DIFF-2, ENGRAM-3.9-DIFF-10
			t.Errorf("got %s", got)
		}
	})
	d := engram.Delta{Since: since, GeneratedAt: now,
		Added:    []engram.Belief{{ID: "new", Key: "k", Text: "v", Status: engram.Active, Confidence: 1}},
		Updated:  []engram.Belief{{ID: radio, Key: "radio_style", Text: "no words", Status: engram.Archived, Confidence: 1}},
		Deleted:  []engram.Tombstone{{ID: sleep, DeletedAt: since}},
		Identity: &engram.Identity{DisplayName: "N.", Timezone: "UTC"},
	}
	d.Evolution = []engram.Change{{ID: "e", Belief: radio, Old: "short words", New: "no words", ChangedAt: now}}
	d.Corrections = []engram.Correction{{ID: "c", Belief: radio, By: engram.ByUser}}
	d.NewConstraints = []engram.Constraint{{ID: "k", Rule: "Never whistle", Status: "active"}}
	d.DeletedConstraints = []engram.Tombstone{{ID: "66666666-6666-4666-8666-666666666666", DeletedAt: since}}
	raw := engram.EncodeDelta(d)
	t.Run("ENGRAM-3.9-DIFF-7 a tombstone has three members", func(t *testing.T) {
		want := `"deleted":[{"deleted_at":"2026-05-01T11:00:00Z","id":"` + sleep + `","status":"deleted"}]`
		if !strings.Contains(string(raw), want) {
			t.Errorf("got %s", raw)
		}
	})
	read, err := engram.ParseDelta(raw, engram.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("ENGRAM-3.9-DIFF-2 what is written is read", func(t *testing.T) {
		if string(engram.EncodeDelta(read)) != string(raw) || !read.GeneratedAt.Equal(now) || read.Identity.DisplayName != "N." {
			t.Errorf("got %+v", read)
		}
	})
	checkApplied(t, read)
	checkDeltaRefused(t, string(raw))
}

// checkApplied brings the sample up to date.
func checkApplied(t *testing.T, delta engram.Delta) {
	d := parsed(t, []byte(sample))
	got := engram.Apply(d, delta)
	t.Run("ENGRAM-3.9-DIFF-9 what was deleted is gone, with its history", func(t *testing.T) {
		if len(got.Beliefs) != 3 || got.Beliefs[0].Text != "no words" || got.Beliefs[1].ID != gone || got.Beliefs[2].ID != "new" { // ENGRAM-3.4-14
			t.Errorf("got %+v", got.Beliefs)
		}
		if len(got.Evolution) != 2 || len(got.Corrections) != 2 || len(got.Constraints) != 1 || got.Constraints[0].ID != "k" || got.Identity.DisplayName != "N." {
			t.Errorf("got %+v", got.Memory)
		}
		without := engram.Apply(got, engram.Delta{Deleted: []engram.Tombstone{{ID: radio}}})
		if len(without.Evolution) != 0 || len(without.Corrections) != 0 || len(without.Beliefs) != 2 {
			t.Errorf("got %+v", without.Memory)
		}
	})
	t.Run("ENGRAM-3.9-DIFF-11 what comes out is not signed, and ends when it would have", func(t *testing.T) {
		raw, err := engram.Encode(got)
		if err != nil {
			t.Fatal(err)
		}
		if got := reason(t, raw, expected(t)); got != engram.NotSigned {
			t.Errorf("got %q", got)
		}
		o := expected(t)
		o.AllowUnsigned = true
		if v, err := engram.Verify(raw, o); err != nil || !v.Until.Equal(d.ExpiresAt) || v.Trust != engram.Unverified {
			t.Errorf("got %+v, %v", v, err)
		}
	})
	t.Run("ENGRAM-3.9-DIFF-9 the document is not modified, and twice is once", func(t *testing.T) {
		if d.Beliefs[0].Text != "short words" || len(d.Beliefs) != 3 || d.Signature.Value == engram.Unsigned {
			t.Errorf("got %+v", d)
		}
		again := engram.Apply(got, delta)
		if !canon.Identical(again.Wire(), got.Wire()) {
			t.Errorf("got %s", again.Wire().Append(nil))
		}
	})
	t.Run("0.1.2-3.7 without constraints none come", func(t *testing.T) {
		d.Constraints = nil
		if got := engram.Apply(d, engram.Delta{DeletedConstraints: delta.DeletedConstraints}); got.Constraints != nil {
			t.Errorf("got %+v", got.Constraints)
		}
	})
}

func checkDeltaRefused(t *testing.T, raw string) {
	for name, edit := range map[string][2]string{
		"/changes/beliefs/added":   {`"added":[{"category"`, `"added":{},"x":[{"category"`},
		"/changes/beliefs/deleted": {`"id":"` + sleep + `"`, `"ident":5`},
		"/changes/evolution/added": {`"evolution":{"added"`, `"evolution":{"removed"`},
		"/generated_at":            {`"generated_at"`, `"made_at"`},
		"/engram_version":          {`"engram_version":"0.1"`, `"engram_version":"2.0"`},
		"":                         {`{"changes"`, `{"changes":}`},
	} {
		t.Run("ENGRAM-3.9-DIFF-3 refused for "+strings.ReplaceAll(name, "/", "."), func(t *testing.T) {
			edited := strings.Replace(raw, edit[0], edit[1], 1)
			var p *codec.ParseError
			if _, err := engram.ParseDelta([]byte(edited), engram.ReadOptions{}); !errors.As(err, &p) || name != "" && p.Path != name || edited == raw {
				t.Errorf("got %v of %s", err, edited)
			}
		})
	}
}
