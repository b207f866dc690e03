package belief_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestCorrect(t *testing.T) { onEach(t, testCorrect) }

func testCorrect(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "formal")
	t.Run("ENGRAM-3.6-11 ENGRAM-3.6-12 correction, evolution and belief change together", func(t *testing.T) {
		h.Pass(time.Hour)
		got, err := h.Correct(h.Ctx, h.Me(), b.ID, "short", "no, I write short emails")
		if err != nil || got.Text != "short" || got.Source != engram.Corrected || got.ID != b.ID || !got.LastConfirmed.Equal(h.Now) || !got.CreatedAt.Equal(b.CreatedAt) {
			t.Fatalf("%+v, %v", got, err)
		}
		view := h.context(h.Me(), engram.Query{})
		if len(view.Evolution) != 1 || len(view.Corrections) != 1 {
			t.Fatalf("%+v", view.Memory)
		}
		e, k := view.Evolution[0], view.Corrections[0]
		if e.Old != "formal" || e.New != "short" || e.Old != k.Old || e.New != k.New || !e.ChangedAt.Equal(k.CorrectedAt) || !e.ChangedAt.Equal(h.Now) || e.Belief != b.ID || k.Belief != b.ID {
			t.Errorf("%+v\n%+v", e, k)
		}
		if e.Trigger != engram.UserCorrection || k.By != engram.ByUser || k.Method != engram.Explicit || k.Note != "no, I write short emails" || !engram.IsID(e.ID) || !engram.IsID(k.ID) {
			t.Errorf("ENGRAM-3.6-8 ENGRAM-3.6-9: %+v\n%+v", e, k)
		}
	})
	t.Run("ENGRAM-3.5-9 ENGRAM-3.5-10 ENGRAM-3.6-10 three changes are three entries, and the first stay as they are", func(t *testing.T) {
		before := h.context(h.Me(), engram.Query{})
		for _, value := range []string{"long", "longer"} {
			h.Pass(time.Minute)
			if _, err := h.Correct(h.Ctx, h.Me(), b.ID, value, ""); err != nil {
				t.Fatal(err)
			}
		}
		after := h.context(h.Me(), engram.Query{})
		if len(after.Evolution) != 3 || len(after.Corrections) != 3 {
			t.Fatalf("%+v", after.Memory)
		}
		was, is := before.Evolution[0].Wire().Append(nil), after.Evolution[0].Wire().Append(nil)
		if string(was) != string(is) || before.Corrections[0].ID != after.Corrections[0].ID {
			t.Errorf("%s became %s", was, is)
		}
		for i, e := range after.Evolution[1:] {
			if e.Old != after.Evolution[i].New || e.ChangedAt.Before(after.Evolution[i].ChangedAt) {
				t.Errorf("%+v after %+v", e, after.Evolution[i])
			}
		}
	})
	t.Run("the same value again is a confirmation", func(t *testing.T) {
		h.Pass(time.Minute)
		got, err := h.Correct(h.Ctx, h.Me(), b.ID, "longer", "")
		if err != nil || !got.LastConfirmed.Equal(h.Now) || len(h.context(h.Me(), engram.Query{}).Evolution) != 3 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("ENGRAM-3.5-9 a revision over UMP evolves once, and says nothing of earlier corrections", func(t *testing.T) {
		h.Pass(time.Minute)
		versions := h.context(h.Me(), engram.Query{})
		h.Change(h.versionNow(h.recordOf("longer")), `{"body":{"text":"email_style: by UMP"}}`)
		view := h.context(h.Me(), engram.Query{})
		if len(view.Evolution) != 4 || view.Evolution[3].New != "by UMP" || len(view.Corrections) != len(versions.Corrections) {
			t.Errorf("%+v", view.Memory)
		}
	})
	t.Run("scope, policy and redaction of a record stay", func(t *testing.T) {
		id := h.Tell("likes quiet", `"scope":{"project":"p"}`, `"consent":{"redact":["body.text"]}`)
		h.Pass(time.Minute)
		if _, err := h.Correct(h.Ctx, h.Me(), engram.IDFrom("engram-ump:"+string(id)), "likes music", ""); err != nil {
			t.Fatal(err)
		}
		rec := h.MustGet(h.versionNow(id))
		if rec.Scope.Project != "p" || rec.Consent == nil || len(rec.Consent.Redact) != 1 || rec.Body.Text != "likes music" {
			t.Errorf("%+v", rec)
		}
		vaulttest.Verified(t, rec)
	})
	t.Run("only the owner corrects, and only what there is", func(t *testing.T) {
		for _, c := range []memory.Caller{h.Agent(), h.assistant(engram.Full), h.Peer()} {
			_, err := h.Correct(h.Ctx, c, b.ID, "x", "")
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
		if _, err := h.Correct(h.Ctx, h.Me(), "none", "x", ""); faultOf(err) != engram.BeliefNotFound {
			t.Error(err)
		}
		if _, err := h.Correct(h.Ctx, h.Me(), b.ID, " ", ""); faultOf(err) != engram.InvalidRequest {
			t.Error(err)
		}
	})
	h.Healthy()
}

// recordOf is a record of the belief that has a value now.
func (h *house) recordOf(value string) memory.ID {
	h.T.Helper()
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{ValidAt: h.Now, Limit: 1000})
	if err != nil {
		h.T.Fatal(err)
	}
	for _, r := range page.Records {
		if r.Body.Text == "email_style: "+value {
			return r.ID
		}
	}
	h.T.Fatalf("nothing says %q: %q", value, vaulttest.TextsOf(page.Records))
	return ""
}

// breaking is a store whose n-th write fails, as when the power is lost there.
type breaking struct {
	store.Store
	left int
}

var errCut = errors.New("the power is gone")

func (b *breaking) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return b.Store.Update(ctx, owner, func(w store.Writer) error { return fn(breakingWriter{w, b}) })
}

type breakingWriter struct {
	store.Writer
	of *breaking
}

func (w breakingWriter) cut(write func() error) error {
	if w.of.left--; w.of.left == 0 {
		return errCut
	}
	return write()
}

func (w breakingWriter) Insert(r store.Row, d store.Document, l store.Links) (n int64, err error) {
	err = w.cut(func() (err error) { n, err = w.Writer.Insert(r, d, l); return err })
	return n, err
}

func (w breakingWriter) Replace(r store.Row, l store.Links) error {
	return w.cut(func() error { return w.Writer.Replace(r, l) })
}

func (w breakingWriter) Record(c store.Change) (n int64, err error) {
	err = w.cut(func() (err error) { n, err = w.Writer.Record(c); return err })
	return n, err
}

func (w breakingWriter) AuditKeeper() store.AuditKeeper {
	return breakingAudit{w.Writer.AuditKeeper(), w}
}

type breakingAudit struct {
	store.AuditKeeper
	of breakingWriter
}

func (a breakingAudit) AppendAudit(entries, hashes [][]byte) error {
	return a.of.cut(func() error { return a.AuditKeeper.AppendAudit(entries, hashes) })
}

// TestGoverningIsWhole: cut off at any write, an act has not happened at all.
func TestGoverningIsWhole(t *testing.T) {
	racing.Skip(t)
	onEach(t, testGoverningIsWhole)
}

func testGoverningIsWhole(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "formal")
	asked, other := h.proposes(b, "short"), h.proposes(b, "shorter")
	broken := &breaking{Store: h.Store}
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: broken, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID()})
	doc := engram.Document{Memory: engram.Memory{Beliefs: []engram.Belief{{
		ID: engram.IDFrom("whole"), Category: engram.Values, Key: "k", Text: "v", Confidence: 1, Source: engram.UserStated, Status: engram.Active, CreatedAt: vaulttest.Start()}}}}
	for _, act := range []struct {
		name string
		do   func() error
	}{
		{"ENGRAM-3.9-CORR-1 propose", func() error { _, err := belief.Of(v).Propose(h.Ctx, h.Agent(), h.proposal(b, "new")); return err }},
		{"ENGRAM-3.6-11 correct", func() error { _, err := belief.Of(v).Correct(h.Ctx, h.Me(), b.ID, "plain", ""); return err }},
		{"ENGRAM-3.9-CORR-12 confirm", func() error { _, err := belief.Of(v).Resolve(h.Ctx, h.Me(), asked.ID, true, ""); return err }},
		{"ENGRAM-3.9-CORR-13 reject", func() error { _, err := belief.Of(v).Resolve(h.Ctx, h.Me(), other.ID, false, ""); return err }},
		{"E-50 believe", func() error {
			_, err := belief.Of(v).Believe(h.Ctx, h.Me(), engram.Belief{Category: engram.Communication, Key: "email_style", Text: "contrary"}, true)
			return err
		}},
		{"archive", func() error { _, err := belief.Of(v).Archive(h.Ctx, h.Me(), b.ID); return err }},
		{"E-47 take in", func() error { _, err := belief.Of(v).ImportContext(h.Ctx, h.Me(), doc, false); return err }},
		{"ENGRAM-3.4-13 delete", func() error { _, err := belief.Of(v).Delete(h.Ctx, h.Me(), b.ID); return err }},
	} {
		t.Run(act.name, func(t *testing.T) {
			h.Pass(time.Minute)
			before := h.Contents()
			for n := 1; ; n++ {
				broken.left = n
				err := act.do()
				if err == nil {
					if n < 3 || h.Contents() == before {
						t.Errorf("it wrote nothing, cut at %d", n)
					}
					return
				}
				if h.Contents() != before || n > 100 {
					t.Fatalf("cut at write %d, something stayed: %v", n, err)
				}
			}
		})
	}
	h.Healthy()
}
