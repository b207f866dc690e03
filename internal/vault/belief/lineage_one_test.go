package belief_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// counting is a store that counts the rows which transactions look through.
type counting struct {
	store.Store
	rows int
}

func (s *counting) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return s.Store.Update(ctx, owner, func(w store.Writer) error { return fn(countingWriter{w, s}) })
}

type countingWriter struct {
	store.Writer
	of *counting
}

func (w countingWriter) Rows(f store.Filter, after store.Cursor, max int) ([]store.Row, error) {
	rows, err := w.Writer.Rows(f, after, max)
	w.of.rows += len(rows)
	return rows, err
}

func (s *counting) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) error {
	return s.Store.View(ctx, owner, func(r store.Reader) error { return fn(countingReader{r, s}) })
}

type countingReader struct {
	store.Reader
	of *counting
}

func (r countingReader) Rows(f store.Filter, after store.Cursor, max int) ([]store.Row, error) {
	rows, err := r.Reader.Rows(f, after, max)
	r.of.rows += len(rows)
	return rows, err
}

func (h *house) rowsOf(t *testing.T, f store.Filter) (rows []store.Row) {
	t.Helper()
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) (err error) {
		rows, err = r.Rows(f, store.Cursor{}, 1000)
		return err
	})
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows
}

// TestOneLineage: who changes one belief does not read all of them while others wait.
func TestOneLineage(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	for i := range 40 {
		h.states(engram.Health, fmt.Sprintf("key %d", i), fmt.Sprintf("value %d", i))
	}
	b := h.states(engram.Communication, "email_style", "short and direct")
	s := &counting{Store: h.Store}
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: s, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID()})
	most := func(t *testing.T, n int, do func() error) {
		t.Helper()
		h.Pass(time.Minute)
		s.rows = 0
		if err := do(); err != nil || s.rows > n {
			t.Errorf("%d rows, %v", s.rows, err)
		}
	}
	var k engram.Correction
	propose := func(value string) func() error {
		return func() (err error) {
			k, err = belief.Of(v).Propose(h.Ctx, h.assistant(engram.Full), engram.Proposal{Belief: b.ID, New: value, Runtime: "r", ObservedAt: h.Now})
			return err
		}
	}
	if err := propose("long")(); err != nil {
		t.Fatal(err)
	}
	waits := h.rowsOf(t, store.Filter{Statuses: []memory.Status{memory.Candidate}})[0].ID
	t.Run("a proposal", func(t *testing.T) { most(t, 2, propose("longer")) })
	t.Run("what waits", func(t *testing.T) {
		most(t, 4, func() error {
			list, err := belief.Of(v).Corrections(h.Ctx, h.Me(), true)
			if len(list) != 2 || list[0].New != "long" || list[1].ID != k.ID {
				t.Errorf("%+v", list)
			}
			return err
		})
	})
	t.Run("proposals in a batch", func(t *testing.T) {
		most(t, 4, func() error {
			p := engram.Proposal{Belief: b.ID, New: "longer", Runtime: k.Runtime, ObservedAt: k.ObservedAt}
			done, err := belief.Of(v).ProposeAll(h.Ctx, h.assistant(engram.Full), []engram.Proposal{p, {}, p}, false)
			if len(done) != 3 || done[0].Correction.ID != k.ID || done[2].Correction.ID != k.ID || faultOf(done[1].Err) != engram.InvalidRequest {
				t.Errorf("%+v", done)
			}
			return err
		})
	})
	t.Run("a proposal is rejected", func(t *testing.T) {
		most(t, 5, func() error { _, err := belief.Of(v).Resolve(h.Ctx, h.Me(), k.ID, false, ""); return err })
	})
	t.Run("ENGRAM-3.9-CORR-14 it is not resolved again", func(t *testing.T) {
		_, err := belief.Of(v).Resolve(h.Ctx, h.Me(), k.ID, true, "")
		if faultOf(err) != engram.InvalidRequest {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a proposal is confirmed over UMP", func(t *testing.T) {
		most(t, 6, func() error {
			_, err := v.Revise(h.Ctx, h.Me(), memory.Revision{ID: waits, Patch: []byte(`{"lifecycle":{"status":"active"}}`)})
			return err
		})
		if got, _ := beliefOf(h.context(h.Me(), engram.Query{}), b.ID); got.Text != "long" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a proposal of what it had before", func(t *testing.T) { most(t, 3, propose("short and direct")) })
	t.Run("a proposal is confirmed", func(t *testing.T) {
		most(t, 8, func() error { _, err := belief.Of(v).Resolve(h.Ctx, h.Me(), k.ID, true, ""); return err })
	})
	for name, do := range map[string]func() error{
		"correct": func() error { _, err := belief.Of(v).Correct(h.Ctx, h.Me(), b.ID, "terse", ""); return err },
		"confirm": func() error { _, err := belief.Of(v).Confirm(h.Ctx, h.Me(), b.ID); return err },
		"archive": func() error { _, err := belief.Of(v).Archive(h.Ctx, h.Me(), b.ID); return err },
	} {
		t.Run(name, func(t *testing.T) { most(t, 8, do) })
	}
	t.Run("a constraint waits", func(t *testing.T) {
		most(t, 2, func() error {
			_, err := belief.Of(v).ProposeConstraint(h.Ctx, h.assistant(engram.Full), engram.Constraint{Rule: "Never graft"})
			return err
		})
	})
	t.Run("the constraints that wait", func(t *testing.T) {
		most(t, 2, func() error {
			list, err := belief.Of(v).Constraints(h.Ctx, h.Me(), true)
			if len(list) != 1 {
				t.Errorf("%+v", list)
			}
			return err
		})
	})
	t.Run("delete", func(t *testing.T) {
		most(t, 30, func() error { _, err := belief.Of(v).Delete(h.Ctx, h.Me(), b.ID); return err })
		_, err := belief.Of(v).Confirm(h.Ctx, h.Me(), b.ID)
		if faultOf(err) != engram.BeliefNotFound {
			t.Errorf("got %v", err)
		}
	})
	t.Run("what is forgotten for good is not found by where it was", func(t *testing.T) {
		gone := h.states(engram.Health, "ferry", "at nine")
		most(t, 100, func() error { _, err := belief.Of(v).Confirm(h.Ctx, h.Me(), gone.ID); return err })
		rows := h.rowsOf(t, store.Filter{Newest: true})
		h.Must(ump.OpForget, `{"id":"`+string(rows[0].ID)+`","reason":"user_revoked","hard":true}`)
		_, err := belief.Of(v).Confirm(h.Ctx, h.Me(), gone.ID)
		if faultOf(err) != engram.BeliefNotFound {
			t.Errorf("got %v", err)
		}
	})
}
