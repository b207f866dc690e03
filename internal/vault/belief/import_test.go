package belief_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// passportOfElsewhere is a document of another store: three beliefs, of which one has changed and
// one is gone, and a proposal that waits there.
func passportOfElsewhere() engram.Document {
	day := func(n int) time.Time { return vaulttest.Start().AddDate(0, 0, n) }
	id := func(s string) string { return engram.IDFrom("foreign", s) }
	active := func(s string, c engram.Category, key, value string) engram.Belief {
		return engram.Belief{ID: id(s), Category: c, Key: key, Text: value, Confidence: 0.8, Source: engram.UserStated, Status: engram.Active,
			CreatedAt: day(-90), LastConfirmed: day(-30), Tags: []string{"x"}}
	}
	return engram.Document{
		Version: engram.Version, IssuedAt: day(-1), Scope: engram.Full,
		Issuer: engram.Issuer{Name: "Elsewhere", URL: "https://elsewhere.example"}, Subject: engram.Subject{ID: id("subject")},
		Memory: engram.Memory{
			Identity: engram.Identity{DisplayName: "Ada", Timezone: "Asia/Singapore", CreatedAt: day(-20), LastUpdated: day(-10)},
			Beliefs: []engram.Belief{
				active("style", engram.Communication, "email_style", "short"), active("diet", engram.Health, "diet", "no nuts"),
				{ID: id("gone"), Category: engram.Values, Key: "gone", Source: engram.Inferred, Status: engram.Deleted, CreatedAt: day(-90), DeletedAt: day(-20)},
			},
			Evolution: []engram.Change{{ID: id("e1"), Belief: id("style"), Old: "formal", New: "short", ChangedAt: day(-30), Trigger: engram.UserCorrection, Context: "at onboarding"}},
			Corrections: []engram.Correction{
				{ID: id("c1"), Belief: id("style"), By: engram.ByUser, CorrectedAt: day(-30), Old: "formal", New: "short", Method: engram.Explicit},
				{ID: id("c2"), Belief: id("diet"), By: engram.ByRuntime, CorrectedAt: day(-2), Old: "no nuts", New: "no eggs", Method: engram.Implicit,
					Status: engram.Pending, Runtime: "rt", ObservedAt: day(-2)},
			},
		},
	}
}

func (h *house) takesInDocument(d engram.Document) engram.ImportResult {
	h.T.Helper()
	done, err := h.ImportContext(h.Ctx, h.Me(), d, false)
	if err != nil {
		h.T.Fatal(err)
	}
	return done
}

func wantTaken(t *testing.T, got engram.ImportResult, added, updated, deleted, unchanged, older int) {
	t.Helper()
	if got.Added != added || got.Updated != updated || got.Deleted != deleted || got.Unchanged != unchanged || got.Older != older {
		t.Errorf("%+v, want %d %d %d %d %d", got, added, updated, deleted, unchanged, older)
	}
}

func TestTakeIn(t *testing.T) {
	racing.Skip(t)
	onEach(t, testTakeIn)
}

func testTakeIn(t *testing.T, open opener) {
	h := open(t)
	doc := passportOfElsewhere()
	style, diet, gone := doc.Beliefs[0].ID, doc.Beliefs[1].ID, doc.Beliefs[2].ID
	t.Run("a dry run says what would be, and nothing is", func(t *testing.T) {
		before := h.Contents()
		done, err := h.ImportContext(h.Ctx, h.Me(), doc, true)
		if err != nil || done.Added != 2 || done.Deleted != 1 || !done.Identity || h.Contents() != before {
			t.Errorf("%+v, %v", done, err)
		}
	})
	t.Run("E-47 ids and history stay", func(t *testing.T) {
		wantTaken(t, h.takesInDocument(doc), 2, 0, 1, 0, 0)
		view := h.context(h.Me(), engram.Query{})
		for _, want := range doc.Beliefs {
			got, ok := beliefOf(view, want.ID)
			if !ok || string(got.Wire().Append(nil)) != string(want.Wire().Append(nil)) {
				t.Errorf("%s, want %s", got.Wire().Append(nil), want.Wire().Append(nil))
			}
		}
		if len(view.Beliefs) != 3 || len(view.Evolution) != 1 || view.Evolution[0].ID != doc.Evolution[0].ID || view.Evolution[0].Context != "at onboarding" || len(view.Corrections) != 2 {
			t.Errorf("%+v", view.Memory)
		}
		if view.Identity.DisplayName != "Ada" || !view.Identity.CreatedAt.Equal(vaulttest.Start().AddDate(0, 0, -20)) {
			t.Errorf("%+v", view.Identity)
		}
		if list := h.waiting(); len(list) != 1 || list[0].New != "no eggs" {
			t.Errorf("%+v", list)
		}
		if text := h.Everywhere()["UMP export"]; strings.Contains(text, "no eggs") {
			t.Error("what waits there is a fact here")
		}
		if e := h.LastAudit(); e.Act != "import" || e.Format != "engram" || e.Count != 3 {
			t.Errorf("%+v", e)
		}
	})
	t.Run("ENGRAM-3.5-11 what was so is recalled as of then", func(t *testing.T) {
		texts := h.TextsFor(h.Me(), memory.Query{Text: "email style", Filter: memory.Filter{ValidAt: vaulttest.Start().AddDate(0, 0, -60)}})
		if len(texts) == 0 || !strings.Contains(texts[0], "formal") {
			t.Errorf("%q", texts)
		}
	})
	t.Run("the same again changes nothing", func(t *testing.T) {
		before := h.Contents()
		wantTaken(t, h.takesInDocument(doc), 0, 0, 0, 3, 0)
		if h.Contents() != before {
			t.Error("something changed")
		}
	})
	t.Run("E-47 the later change wins", func(t *testing.T) {
		h.Pass(time.Hour)
		if _, err := h.Correct(h.Ctx, h.Me(), style, "changed here", ""); err != nil {
			t.Fatal(err)
		}
		wantTaken(t, h.takesInDocument(doc), 0, 0, 0, 2, 1)
		later := passportOfElsewhere()
		at := h.Now.Add(time.Hour)
		h.Pass(2 * time.Hour)
		later.Beliefs[0].Text, later.Beliefs[0].LastConfirmed = "changed there", at
		later.Evolution = append(later.Evolution, engram.Change{ID: engram.IDFrom("e2"), Belief: style, Old: "short", New: "changed there", ChangedAt: at, Trigger: engram.NaturalUpdate})
		wantTaken(t, h.takesInDocument(later), 0, 1, 0, 2, 0)
		view := h.context(h.Me(), engram.Query{})
		if got, _ := beliefOf(view, style); got.Text != "changed there" || !got.LastConfirmed.Equal(at) {
			t.Errorf("%+v", got)
		}
		if len(view.Evolution) != 3 || view.Evolution[2].ID != engram.IDFrom("e2") || view.Evolution[1].New != "changed here" {
			t.Errorf("%+v", view.Evolution)
		}
		wantTaken(t, h.takesInDocument(later), 0, 0, 0, 3, 0)
	})
	t.Run("E-47 a tombstone wins a tie, and what was deleted here stays deleted", func(t *testing.T) {
		later := passportOfElsewhere()
		later.Beliefs[1] = engram.Belief{ID: diet, Category: engram.Health, Key: "diet", Source: engram.UserStated, Status: engram.Deleted, CreatedAt: vaulttest.Start().AddDate(0, 0, -90), DeletedAt: vaulttest.Start().AddDate(0, 0, -30)}
		later.Corrections, later.Evolution, later.Beliefs = nil, nil, later.Beliefs[1:]
		wantTaken(t, h.takesInDocument(later), 0, 0, 1, 1, 0)
		if text := issued(t, h.context(h.Me(), engram.Query{}), h.Now); strings.Contains(text, "nuts") || strings.Contains(text, "eggs") {
			t.Error(text)
		}
		later = passportOfElsewhere()
		later.Beliefs[1].LastConfirmed = h.Now.Add(-time.Minute)
		later.Beliefs[2] = engram.Belief{ID: gone, Category: engram.Values, Key: "gone", Text: "back", Confidence: 1, Source: engram.UserStated, Status: engram.Active, CreatedAt: h.Now}
		later.Beliefs = later.Beliefs[1:]
		later.Corrections, later.Evolution = nil, nil
		done := h.takesInDocument(later)
		wantTaken(t, done, 0, 0, 0, 0, 2)
		if !slices.ContainsFunc(done.Warnings, func(s string) bool { return strings.Contains(s, gone) }) {
			t.Errorf("%q", done.Warnings)
		}
	})
	t.Run("E-47 an id that another subject's belief has is refused", func(t *testing.T) {
		other := passportOfElsewhere()
		other.Subject.ID = engram.IDFrom("somebody else")
		before := h.Contents()
		_, err := h.ImportContext(h.Ctx, h.Me(), other, false)
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		if h.Contents() != before {
			t.Error("something was taken in")
		}
	})
	t.Run("only the owner takes in", func(t *testing.T) {
		_, err := h.ImportContext(h.Ctx, h.Agent(), passportOfElsewhere(), true)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
	h.Healthy()
}

func TestTakeInOwn(t *testing.T) {
	racing.Skip(t)
	onEach(t, testTakeInOwn)
}

// testTakeInOwn carries a memory to another store of the same owner and back.
func testTakeInOwn(t *testing.T, open opener) {
	h, other := open(t), open(t)
	b := h.states(engram.Communication, "email_style", "formal")
	h.Pass(time.Hour)
	if _, err := h.Correct(h.Ctx, h.Me(), b.ID, "short", "note"); err != nil {
		t.Fatal(err)
	}
	h.Tell("we drink coffee at eleven")
	k, err := h.Constrain(h.Ctx, h.Me(), engram.Constraint{Rule: "Never use emoji", Category: "communication"})
	if err != nil {
		t.Fatal(err)
	}
	carry := func(from, to *house) engram.ImportResult {
		t.Helper()
		view := from.context(from.Me(), engram.Query{History: true})
		return to.takesInDocument(engram.Document{Issuer: engram.Issuer{Name: "here", URL: "https://here.example"}, IssuedAt: from.Now, Subject: view.Subject, Scope: engram.Full, Memory: view.Memory})
	}
	other.Now = h.Now.Add(time.Hour)
	wantTaken(t, carry(h, other), 3, 0, 0, 0, 0)
	there := other.context(other.Me(), engram.Query{})
	if got, _ := beliefOf(there, b.ID); got.Text != "short" || len(there.Beliefs) != 2 || len(there.Evolution) != 1 || len(there.Corrections) != 1 || len(there.Constraints) != 1 || there.Constraints[0].ID != k.ID {
		t.Errorf("%+v", there.Memory)
	}
	if _, err := other.Correct(other.Ctx, other.Me(), b.ID, "shorter", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Unconstrain(other.Ctx, other.Me(), k.ID); err != nil {
		t.Fatal(err)
	}
	h.Now = other.Now.Add(time.Hour)
	wantTaken(t, carry(other, h), 0, 1, 1, 1, 0)
	here := h.context(h.Me(), engram.Query{})
	if got, _ := beliefOf(here, b.ID); got.Text != "shorter" || len(here.Evolution) != 2 || len(here.Corrections) != 2 || here.Constraints[0].Status != "deleted" {
		t.Errorf("%+v", here.Memory)
	}
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{ValidAt: h.Now})
	if err != nil || len(page.Records) != 2 {
		t.Errorf("%q, %v", vaulttest.TextsOf(page.Records), err)
	}
	h.Healthy()
	other.Healthy()
}
