package engram_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
)

// One store and another, each with a belief about the same.
const (
	oursURL, theirsURL = "https://harbour.example", "https://tower.example"
	ours, theirs       = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000001"
)

// stating is a belief about the style of mails.
func stating(t *testing.T, id, text string, source engram.Source, when string) engram.Belief {
	return engram.Belief{ID: id, Category: engram.Communication, Key: "email_style", Text: text, Confidence: 0.9,
		Source: source, Status: engram.Active, CreatedAt: at(t, when)}
}

// exportOf is the export of a store.
func exportOf(t *testing.T, url string, m engram.Memory) engram.Document {
	if m.Identity.DisplayName == "" {
		m.Identity = engram.Identity{DisplayName: "Noor", Timezone: "UTC"}
	}
	return engram.Document{Version: engram.Version, Issuer: engram.Issuer{Name: url, URL: url}, Subject: engram.Subject{ID: engram.IDFrom(url)},
		IssuedAt: at(t, "2026-06-01T00:00:00Z"), Scope: engram.Full, Memory: m}
}

func holding(list ...engram.Belief) engram.Memory { return engram.Memory{Beliefs: list} }

// mergedEverywhere merges in every order, and makes sure that it comes to the same.
func mergedEverywhere(t *testing.T, docs ...engram.Document) (engram.Document, engram.MergeReport) {
	t.Helper()
	first, report, err := engram.Merge(docs...)
	if err != nil {
		t.Fatal(err)
	}
	want, wantReport := form(t, first), told(t, report)
	var permute func(done, left []engram.Document)
	permute = func(done, left []engram.Document) {
		if len(left) == 0 {
			again, report, err := engram.Merge(append(slices.Clone(done), done[0])...)
			if err != nil || form(t, again) != want || told(t, report) != wantReport {
				t.Errorf("in another order: %v\n%s\n%s", err, form(t, again), want)
			}
		}
		for i := range left {
			permute(append(slices.Clone(done), left[i]), slices.Delete(slices.Clone(left), i, i+1))
		}
	}
	permute(nil, docs)
	return first, report
}

func form(t *testing.T, d engram.Document) string {
	t.Helper()
	raw, err := engram.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func told(t *testing.T, r engram.MergeReport) string {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func found(t *testing.T, d engram.Document, id string) engram.Belief {
	t.Helper()
	i := slices.IndexFunc(d.Beliefs, func(b engram.Belief) bool { return b.ID == id })
	if i < 0 {
		t.Fatalf("%s is not there", id)
	}
	return d.Beliefs[i]
}

func TestMergeConflicts(t *testing.T) {
	for name, test := range map[string]struct {
		ours, theirs engram.Belief
		holds        string
		because      string
		waits        bool
	}{
		"ENGRAM-12.2-3 the later of two that were stated": {
			stating(t, ours, "formal", engram.UserStated, "2026-01-01T00:00:00Z"), stating(t, theirs, "short", engram.UserStated, "2026-03-01T00:00:00Z"), theirs, "changed later", false},
		"ENGRAM-12.2-3 what was stated before what was inferred later": {
			stating(t, ours, "formal", engram.Corrected, "2026-01-01T00:00:00Z"), stating(t, theirs, "short", engram.Inferred, "2026-03-01T00:00:00Z"), ours, "stated by the person", false},
		"ENGRAM-12.2-3 nothing but their ids tell them apart": {
			stating(t, ours, "formal", engram.Inferred, "2026-01-01T00:00:00Z"), stating(t, theirs, "short", engram.Inferred, "2026-01-01T00:00:00Z"), ours, "first by name", true},
	} {
		t.Run(name, func(t *testing.T) {
			d, r := mergedEverywhere(t, exportOf(t, oursURL, holding(test.ours)), exportOf(t, theirsURL, holding(test.theirs)))
			loser := test.ours
			if test.holds == ours {
				loser = test.theirs
			}
			if b := found(t, d, test.holds); b.Status != engram.Active {
				t.Errorf("%+v", b)
			}
			if b := found(t, d, loser.ID); b.Status != engram.Archived || b.Text != loser.Text {
				t.Errorf("%+v", b)
			}
			if len(r.Decisions) != 1 || r.Decisions[0].Because != test.because || r.Decisions[0].ID != loser.ID || r.Active != 1 || r.Archived != 1 {
				t.Errorf("%+v", r)
			}
			if test.waits {
				if len(d.Corrections) != 1 || d.Corrections[0].Status != engram.Pending || d.Corrections[0].New != loser.Text || d.Corrections[0].By != engram.BySystem || r.Waiting != 1 || len(d.Evolution) != 0 {
					t.Errorf("%+v %+v", d.Corrections, d.Evolution)
				}
				return
			}
			if len(d.Evolution) != 1 || d.Evolution[0].Belief != test.holds || d.Evolution[0].Old != loser.Text || d.Evolution[0].Trigger != engram.ContradictionResolution ||
				!strings.Contains(d.Evolution[0].Context, "example") || !engram.IsID(d.Evolution[0].ID) || len(d.Corrections) != 0 {
				t.Errorf("%+v", d.Evolution)
			}
		})
	}
	t.Run("ENGRAM-12.2-3 the same value is no conflict", func(t *testing.T) {
		d, _ := mergedEverywhere(t, exportOf(t, oursURL, holding(stating(t, ours, "Short ", engram.UserStated, "2026-01-01T00:00:00Z"))),
			exportOf(t, theirsURL, holding(stating(t, theirs, "short", engram.UserStated, "2026-03-01T00:00:00Z"))))
		if len(d.Evolution)+len(d.Corrections) != 0 || found(t, d, theirs).Status != engram.Active || found(t, d, ours).Status != engram.Archived {
			t.Errorf("%+v", d.Memory)
		}
	})
	t.Run("ENGRAM-12.2-3 what one store has side by side stays so", func(t *testing.T) {
		second := stating(t, engram.IDFrom("second"), "long", engram.UserStated, "2026-02-01T00:00:00Z")
		d, _ := mergedEverywhere(t, exportOf(t, oursURL, holding(stating(t, ours, "formal", engram.UserStated, "2026-04-01T00:00:00Z"), second)),
			exportOf(t, theirsURL, holding(stating(t, theirs, "short", engram.UserStated, "2026-03-01T00:00:00Z"))))
		if found(t, d, second.ID).Status != engram.Active || found(t, d, ours).Status != engram.Active || found(t, d, theirs).Status != engram.Archived {
			t.Errorf("%+v", d.Beliefs)
		}
	})
	t.Run("ENGRAM-12.2-3 three stores in every order", func(t *testing.T) {
		d, r := mergedEverywhere(t, exportOf(t, oursURL, holding(stating(t, ours, "formal", engram.UserStated, "2026-01-01T00:00:00Z"))),
			exportOf(t, theirsURL, holding(stating(t, theirs, "short", engram.Inferred, "2026-05-01T00:00:00Z"))),
			exportOf(t, "https://third.example", holding(stating(t, engram.IDFrom("third"), "brief", engram.UserStated, "2026-02-01T00:00:00Z"))))
		if found(t, d, engram.IDFrom("third")).Status != engram.Active || r.Archived != 2 || len(d.Evolution) != 2 {
			t.Errorf("%+v %+v", d.Memory, r)
		}
	})
	t.Run("ENGRAM-12.2-3 merged once more with one of them, nothing changes", func(t *testing.T) {
		a := exportOf(t, oursURL, holding(stating(t, ours, "formal", engram.UserStated, "2026-01-01T00:00:00Z")))
		b := exportOf(t, theirsURL, holding(stating(t, theirs, "short", engram.UserStated, "2026-03-01T00:00:00Z")))
		d, _ := mergedEverywhere(t, a, b)
		result := exportOf(t, "https://merged.example", d.Memory)
		again, r := mergedEverywhere(t, result, a)
		if form(t, again) != form(t, d) || len(r.Decisions) != 0 {
			t.Errorf("%s\n%s", form(t, again), form(t, d))
		}
	})
}

func TestMergeTombstones(t *testing.T) {
	gone := stating(t, ours, "", engram.UserStated, "2026-01-01T00:00:00Z")
	gone.Status, gone.Confidence, gone.DeletedAt = engram.Deleted, 0, at(t, "2026-04-01T00:00:00Z")
	for name, test := range map[string]struct {
		copied engram.Belief
		want   engram.Status
	}{
		"ENGRAM-12.2-4 an older copy under the same id":    {stating(t, ours, "pistachio", engram.UserStated, "2026-03-01T00:00:00Z"), engram.Deleted},
		"ENGRAM-12.2-4 a tombstone wins a tie":             {stating(t, ours, "pistachio", engram.UserStated, "2026-04-01T00:00:00Z"), engram.Deleted},
		"ENGRAM-12.2-4 an older copy under another id":     {stating(t, theirs, "pistachio", engram.UserStated, "2026-03-01T00:00:00Z"), engram.Deleted},
		"ENGRAM-12.2-4 what changed later stays":           {stating(t, ours, "pistachio", engram.UserStated, "2026-05-01T00:00:00Z"), engram.Active},
		"ENGRAM-12.2-4 stated later, under another id too": {stating(t, theirs, "pistachio", engram.UserStated, "2026-05-01T00:00:00Z"), engram.Active},
	} {
		t.Run(name, func(t *testing.T) {
			copied := holding(test.copied)
			copied.Evolution = []engram.Change{{ID: engram.IDFrom("e"), Belief: test.copied.ID, Old: "pistachio ice", New: "pistachio", ChangedAt: test.copied.CreatedAt, Trigger: engram.NaturalUpdate}}
			d, r := mergedEverywhere(t, exportOf(t, oursURL, holding(gone)), exportOf(t, theirsURL, copied))
			if b := found(t, d, test.copied.ID); b.Status != test.want {
				t.Errorf("%+v", b)
			}
			if text := form(t, d); strings.Contains(text, "pistachio") != (test.want == engram.Active) {
				t.Errorf("%s", text)
			}
			if strings.Contains(told(t, r), "pistachio") {
				t.Errorf("%s", told(t, r))
			}
		})
	}
	t.Run("ENGRAM-12.2-4 what a store has beside its tombstone is another belief", func(t *testing.T) {
		d, _ := mergedEverywhere(t, exportOf(t, oursURL, holding(gone, stating(t, theirs, "short", engram.UserStated, "2026-03-01T00:00:00Z"))))
		if found(t, d, theirs).Status != engram.Active {
			t.Errorf("%+v", d.Beliefs)
		}
	})
}
