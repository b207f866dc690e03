package belief_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestResolve(t *testing.T) { onEach(t, testResolve) }

func testResolve(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "short and direct")
	h.Pass(time.Hour)
	k := h.proposes(b, "longer for investors")
	t.Run("ENGRAM-3.9-CORR-21 only the owner resolves", func(t *testing.T) {
		for _, c := range []memory.Caller{h.assistant(engram.Full), h.Agent(), h.Peer()} {
			_, err := h.Resolve(h.Ctx, c, k.ID, true, "")
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
	})
	h.Pass(time.Hour)
	done, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, "fine")
	if err != nil || done.Status != engram.Confirmed || done.Now != "longer for investors" || done.New != "longer for investors" || done.Old != "short and direct" {
		t.Fatalf("%+v, %v", done, err)
	}
	view := h.context(h.Me(), engram.Query{})
	t.Run("ENGRAM-3.9-CORR-12 ENGRAM-3.6-12 E-42 to confirm applies", func(t *testing.T) {
		got, _ := beliefOf(view, b.ID)
		if got.Text != "longer for investors" || got.Source != engram.Corrected || !got.LastConfirmed.Equal(h.Now) || got.Confidence != 1 || !got.CreatedAt.Equal(b.CreatedAt) || len(view.Beliefs) != 1 {
			t.Errorf("%+v", view.Beliefs)
		}
		if len(view.Evolution) != 1 || view.Evolution[0].Trigger != engram.UserCorrection || view.Evolution[0].Context != "said in a session about investors" ||
			view.Evolution[0].Old != "short and direct" || view.Evolution[0].New != "longer for investors" || !view.Evolution[0].ChangedAt.Equal(h.Now) {
			t.Errorf("%+v", view.Evolution)
		}
	})
	t.Run("E-12 the runtime's correction keeps its author, the owner's names it", func(t *testing.T) {
		if len(view.Corrections) != 2 {
			t.Fatalf("%+v", view.Corrections)
		}
		asked, approved := view.Corrections[0], view.Corrections[1]
		if asked.ID != k.ID || asked.By != engram.ByRuntime || asked.Status != engram.Confirmed || asked.New != "longer for investors" {
			t.Errorf("%+v", asked)
		}
		if approved.By != engram.ByUser || approved.Method != engram.Approved || !strings.Contains(approved.Note, k.ID) || !strings.Contains(approved.Note, "fine") || !approved.CorrectedAt.Equal(h.Now) {
			t.Errorf("%+v", approved)
		}
	})
	t.Run("ENGRAM-3.9-CORR-3 every surface tells the same from then on", func(t *testing.T) {
		for name, text := range h.Everywhere() {
			if !strings.Contains(text, "longer for investors") {
				t.Errorf("%s tells: %s", name, text)
			}
			if strings.Contains(text, "short and direct") && name != "Engram" && name != "UMP export" {
				t.Errorf("%s still tells: %s", name, text)
			}
		}
	})
	t.Run("ENGRAM-3.9-CORR-14 a correction is resolved once", func(t *testing.T) {
		for _, confirm := range []bool{true, false} {
			_, err := h.Resolve(h.Ctx, h.Me(), k.ID, confirm, "")
			if faultOf(err) != engram.InvalidRequest || !strings.Contains(err.Error(), "already resolved") {
				t.Error(err)
			}
		}
		if view := h.context(h.Me(), engram.Query{}); len(view.Evolution) != 1 {
			t.Errorf("%+v", view.Evolution)
		}
	})
	t.Run("what nobody proposed is not found", func(t *testing.T) {
		_, err := h.Resolve(h.Ctx, h.Me(), "nothing", true, "")
		vaulttest.WantKind(t, err, memory.NotFound)
	})
	t.Run("the audit log says who decided", func(t *testing.T) {
		entries, err := h.Audit(h.Ctx, h.Me(), 0, 1000)
		if err != nil || !slices.ContainsFunc(entries, func(e audit.Entry) bool { return e.Act == "approve" && e.Who == "owner" }) {
			t.Errorf("%+v, %v", entries, err)
		}
	})
	h.Healthy()
}

func TestResolveOtherwise(t *testing.T) { onEach(t, testResolveOtherwise) }

func testResolveOtherwise(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "short")
	t.Run("ENGRAM-3.9-CORR-13 to reject changes nothing and is remembered", func(t *testing.T) {
		k := h.proposes(b, "shouting")
		h.Pass(time.Minute)
		if done, err := h.Resolve(h.Ctx, h.Me(), k.ID, false, "never"); err != nil || done.Status != engram.Rejected {
			t.Fatalf("%+v, %v", done, err)
		}
		view := h.context(h.Me(), engram.Query{})
		got, _ := beliefOf(view, b.ID)
		if got.Text != "short" || len(view.Evolution) != 0 || len(view.Corrections) != 1 || view.Corrections[0].Status != engram.Rejected || view.Corrections[0].ID != k.ID || len(h.waiting()) != 0 {
			t.Errorf("%+v %+v", view.Memory, h.waiting())
		}
		if len(view.Beliefs) != 1 {
			t.Errorf("the rejected proposal became a belief: %+v", view.Beliefs)
		}
		all, err := h.Corrections(h.Ctx, h.Me(), false)
		if err != nil || len(all) != 1 || all[0].New != "shouting" {
			t.Errorf("%+v, %v", all, err)
		}
		if again := h.proposes(b, "shouting"); again.ID == k.ID {
			t.Error("a new proposal is an old one")
		}
	})
	t.Run("ENGRAM-3.9-CORR-18 the value replaced is the one that there is by then", func(t *testing.T) {
		k := h.proposes(b, "long")
		h.Pass(time.Minute)
		if _, err := h.Correct(h.Ctx, h.Me(), b.ID, "medium", ""); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(h.waiting(), func(c engram.Case) bool { return c.ID == k.ID })
		if i < 0 || h.waiting()[i].Now != "medium" {
			t.Fatalf("%+v", h.waiting())
		}
		h.Pass(time.Minute)
		if _, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, ""); err != nil {
			t.Fatal(err)
		}
		view := h.context(h.Me(), engram.Query{})
		if last := view.Evolution[len(view.Evolution)-1]; last.Old != "medium" || last.New != "long" {
			t.Errorf("%+v", view.Evolution)
		}
	})
	t.Run("ENGRAM-3.9-CORR-22 to confirm puts an archived belief in force", func(t *testing.T) {
		h.Pass(time.Minute)
		if got, err := h.Archive(h.Ctx, h.Me(), b.ID); err != nil || got.Status != engram.Archived {
			t.Fatalf("%+v, %v", got, err)
		}
		k := h.proposes(b, "back again")
		h.Pass(time.Minute)
		if _, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, ""); err != nil {
			t.Fatal(err)
		}
		if got, _ := beliefOf(h.context(h.Me(), engram.Query{}), b.ID); got.Status != engram.Active || got.Text != "back again" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("ENGRAM-3.9-CORR-12 what is so already is approved without evolving", func(t *testing.T) {
		k := h.proposes(b, "the same")
		h.Pass(time.Minute)
		if _, err := h.Correct(h.Ctx, h.Me(), b.ID, "the same", ""); err != nil {
			t.Fatal(err)
		}
		before := len(h.context(h.Me(), engram.Query{}).Evolution)
		h.Pass(time.Minute)
		if done, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, ""); err != nil || done.Status != engram.Confirmed {
			t.Fatalf("%+v, %v", done, err)
		}
		view := h.context(h.Me(), engram.Query{})
		if got, _ := beliefOf(view, b.ID); got.Text != "the same" || len(view.Evolution) != before {
			t.Errorf("%+v", view.Memory)
		}
	})
	t.Run("ENGRAM-3.4-13 with a belief its proposals go", func(t *testing.T) {
		k := h.proposes(b, "secretly changed")
		if _, err := h.Delete(h.Ctx, h.Me(), b.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, ""); err == nil {
			t.Error("it was confirmed")
		}
		if text := issued(t, h.context(h.Me(), engram.Query{}), h.Now); strings.Contains(text, "secretly") || len(h.waiting()) != 0 {
			t.Errorf("%s %+v", text, h.waiting())
		}
	})
	h.Healthy()
}
