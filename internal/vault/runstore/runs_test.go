package runstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// fails expects a refusal of a kind and a cause.
func fails(t *testing.T, what string, err error, kind memory.ErrorKind, cause error) {
	t.Helper()
	if memory.KindOf(err) != kind || cause != nil && !errors.Is(err, cause) {
		t.Errorf("%s: %v, want %s, %v", what, err, kind, cause)
	}
}

func TestRun(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		me := h.Me()
		stranger := draft("x")
		stranger.Revision = 2
		_, err := h.runs.Start(h.Ctx, me, stranger, nil)
		fails(t, "of an unknown revision", err, memory.InvalidRecord, runstore.ErrUnknownAgent)
		run := h.start(held("x", "one"), "a", "b")
		if run.Fence != 1 || run.Events != 2 || run.Holder != "one" || !run.Began.Equal(h.Now) {
			t.Errorf("started %+v", run)
		}
		_, err = h.runs.Start(h.Ctx, me, draft("x"), nil)
		fails(t, "again", err, memory.InvalidRecord, runstore.ErrRunExists)
		mark, agent := h.AuditMark(me, "x"), h.AuditMark(me, "a")
		if e := h.Logged(audit.RunStart); e.Agent != agent || len(e.Records) != 1 || e.Records[0] != mark {
			t.Errorf("AAIF-4.9-8: logged %+v", e)
		}
		h.Pass(time.Minute)
		digest := "sha256:" + strings.Repeat("0a", 32)
		_, err = h.runs.Append(h.Ctx, me, "x", 1, runstore.Append{Events: says("c"), Notes: []runstore.Note{
			{Act: audit.RunCall, Subject: "pay", Digest: digest}, {Act: audit.RunApprove, Subject: "pay", Result: "approved"}}})
		if err != nil {
			t.Fatal(err)
		}
		if e := h.Logged(audit.RunCall); e.Agent != agent || e.Checksum != digest || strings.Join(e.Records, " ") != h.AuditMark(me, "pay")+" "+mark {
			t.Errorf("AAIF-4.9-8: logged %+v", e)
		}
		if e := h.Logged(audit.RunApprove); e.Result != "approved" || e.Who != audit.Owner {
			t.Errorf("logged %+v", e)
		}
		if got := h.said("x"); got != `1{"a":1}2{"b":1}3{"c":1}` {
			t.Errorf("it says %s", got)
		}
		if err := h.append("x", 1, runstore.Change{Status: "completed", Release: true}, "d"); err != nil {
			t.Fatal(err)
		}
		if e := h.Logged(audit.RunEnd); e.Result != "completed" || e.Records[0] != mark {
			t.Errorf("logged %+v", e)
		}
		got, err := h.runs.Get(h.Ctx, me, "x")
		if err != nil || got.Status != "completed" || got.Events != 4 || !got.Changed.Equal(h.Now) || got.Holder != "" {
			t.Errorf("got %+v, %v", got, err)
		}
		h.start(draft("y"))
		list, err := h.runs.List(h.Ctx, me, "a", runstore.Place{}, 9)
		if err != nil || len(list) != 2 || list[0].ID != "y" || list[1].ID != "x" {
			t.Errorf("listed %+v, %v", list, err)
		}
		_, err = h.runs.Get(h.Ctx, me, "z")
		fails(t, "of none", err, memory.NotFound, nil)
		if found, err := h.Health(h.Ctx); err != nil || len(found) > 0 {
			t.Errorf("doctor says %q, %v", found, err)
		}
	})
}

// TestOthers has nobody but the owner in person reach runs.
func TestOthers(t *testing.T) {
	h := houseOf(vaulttest.Open(t))
	h.start(held("x", "one"), "a")
	for _, c := range []memory.Caller{h.Agent(), h.Peer()} {
		_, err := h.runs.Start(h.Ctx, c, draft("y"), nil)
		_, err2 := h.runs.Get(h.Ctx, c, "x")
		_, err3 := h.runs.List(h.Ctx, c, "", runstore.Place{}, 9)
		_, err4 := h.runs.Events(h.Ctx, c, "x", 0, 9)
		_, err5 := h.runs.Hold(h.Ctx, c, "x", runstore.Hold{Holder: "two"})
		_, err6 := h.runs.Append(h.Ctx, c, "x", 1, runstore.Append{})
		_, err7 := h.runs.Remove(h.Ctx, c, "x")
		err8 := h.runs.Await(h.Ctx, c, "x", 0)
		err9 := h.runs.Join(h.Ctx, c, "x", runstore.Append{Events: says("b")})
		for _, err := range []error{err, err2, err3, err4, err5, err6, err7, err8, err9} {
			fails(t, c.Agent, err, memory.ForbiddenScope, nil)
		}
	}
}

// TestJoin has somebody add to a run that another one holds.
func TestJoin(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		joins := func(first int64, text string) error {
			return h.another().runs.Join(h.Ctx, h.Me(), "x", runstore.Append{First: first, Events: says(text), Notes: []runstore.Note{{Act: audit.RunApprove, Subject: "pay", Result: "approved"}}})
		}
		before := h.start(held("x", "one"), "a")
		if err := joins(2, "b"); err != nil {
			t.Fatal(err)
		}
		if e := h.Logged(audit.RunApprove); e.Result != "approved" {
			t.Errorf("logged %+v", e)
		}
		got, err := h.runs.Get(h.Ctx, h.Me(), "x")
		if err != nil || got.Holder != "one" || got.Fence != before.Fence || got.Status != before.Status || !got.Until.Equal(before.Until) {
			t.Errorf("the run is %+v, and was %+v; %v", got, before, err)
		}
		fails(t, "behind an event that it does not know", joins(2, "lost"), memory.InvalidRecord, runstore.ErrFenced)
		_, err = h.runs.Append(h.Ctx, h.Me(), "x", 1, runstore.Append{First: 2, Events: says("lost")})
		fails(t, "the holder, before it knows", err, memory.InvalidRecord, runstore.ErrFenced)
		if err := h.append("x", 1, runstore.Change{Release: true}, "c"); err != nil {
			t.Fatal(err)
		}
		fails(t, "while nobody holds it", joins(4, "lost"), memory.InvalidRecord, runstore.ErrFenced)
		if said := h.said("x"); strings.Contains(said, "lost") || !strings.Contains(said, "b") {
			t.Errorf("it says %s", said)
		}
	})
}

// TestTakenOver has one server stand still, another go on once its lease has ended, and the
// first wake up.
func TestTakenOver(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.start(held("x", "one"), "a")
		other := h.another()
		two := runstore.Hold{Holder: "two", Lease: time.Hour}
		_, err := other.runs.Hold(h.Ctx, h.Me(), "x", two)
		fails(t, "while the first holds it", err, memory.InvalidRecord, runstore.ErrHeld)
		if err := h.append("x", 1, runstore.Change{Extend: time.Millisecond}, "b"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		run, err := other.runs.Hold(h.Ctx, h.Me(), "x", two)
		if err != nil || run.Fence != 2 || run.Events != 2 {
			t.Fatalf("held %+v, %v", run, err)
		}
		if err := other.append("x", 2, runstore.Change{}, "c"); err != nil {
			t.Fatal(err)
		}
		_, err = h.runs.Append(h.Ctx, h.Me(), "x", 1, runstore.Append{Events: says("lost"), Notes: []runstore.Note{{Act: audit.RunCall, Subject: "pay"}}})
		fails(t, "after waking", err, memory.InvalidRecord, runstore.ErrFenced)
		_, err = other.runs.Append(h.Ctx, h.Me(), "x", 2, runstore.Append{Events: says("d"), First: 3})
		fails(t, "without knowing of an event", err, memory.InvalidRecord, runstore.ErrFenced)
		fails(t, "a release after waking", h.runs.Release(h.Ctx, h.Me(), "x", 1), memory.InvalidRecord, runstore.ErrFenced)
		if e := h.Logged(audit.RunCall); e.Act != "" {
			t.Errorf("what was not appended is noted: %+v", e)
		}
		if got := h.said("x"); got != `1{"a":1}2{"b":1}3{"c":1}` {
			t.Errorf("it says %s", got)
		}
	})
}

// TestCrash has a server end between taking hold of a run and appending to it.
func TestCrash(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.start(draft("x"), "a")
		dead := h.another()
		if _, err := dead.runs.Hold(h.Ctx, h.Me(), "x", runstore.Hold{Holder: "one", Lease: 500 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		_ = dead.Store.Close()
		two := runstore.Hold{Holder: "two", Lease: time.Hour}
		_, err := h.runs.Hold(h.Ctx, h.Me(), "x", two)
		fails(t, "before its lease has ended", err, memory.InvalidRecord, runstore.ErrHeld)
		h.Now = time.Now().Add(time.Hour) // of the list of work; a lease goes by the store's clock
		for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			due, err := h.runs.Due(h.Ctx, runstore.Look{Limit: 9})
			if err != nil || time.Since(start) > time.Minute {
				t.Fatalf("due: %+v, %v", due, err)
			}
			if h.Now = h.Now.Add(time.Hour); len(due) == 1 && due[0].ID == "x" && due[0].Owner == h.Key.DID() {
				break
			}
		}
		run, err := h.runs.Hold(h.Ctx, h.Me(), "x", two)
		if err != nil || run.Fence != 2 || h.said("x") != `1{"a":1}` {
			t.Errorf("held %+v, %v", run, err)
		}
		if due, err := h.runs.Due(h.Ctx, runstore.Look{Limit: 9}); err != nil || len(due) != 0 {
			t.Errorf("due while it is held: %+v, %v", due, err)
		}
	})
}

// TestCopied has runs of another lineage wait for a person.
func TestCopied(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.start(draft("x"), "a")
		err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
			run, err := w.Runs().Run("x")
			run.Lineage, run.Events = "elsewhere", 0
			return errors.Join(err, w.RunKeeper().DropRun("x"), w.RunKeeper().PutRun(run))
		})
		if err != nil {
			t.Fatal(err)
		}
		h.Now = time.Now().Add(time.Hour)
		if due, err := h.runs.Due(h.Ctx, runstore.Look{Limit: 9}); err != nil || len(due) != 0 {
			t.Errorf("due: %+v, %v", due, err)
		}
		run, err := h.runs.Get(h.Ctx, h.Me(), "x")
		if here, err2 := h.runs.Lineage(h.Ctx, h.Me()); err != nil || err2 != nil || here == run.Lineage {
			t.Errorf("it goes on: %v, %v, %v", here, err, err2)
		}
		_, err = h.runs.Hold(h.Ctx, h.Me(), "x", runstore.Hold{Holder: "one", Lease: time.Hour})
		fails(t, "by itself", err, memory.InvalidRecord, runstore.ErrCopied)
		if e := h.Logged(audit.RunResume); e.Act != "" {
			t.Errorf("logged %+v", e)
		}
		if run, err = h.runs.Hold(h.Ctx, h.Me(), "x", runstore.Hold{Holder: "one", Lease: time.Hour, Resumes: true}); err != nil {
			t.Fatal(err)
		}
		if here, err := h.runs.Lineage(h.Ctx, h.Me()); err != nil || here != run.Lineage {
			t.Errorf("it does not go on: %v", err)
		}
		if e := h.Logged(audit.RunResume); e.Records[0] != h.AuditMark(h.Me(), "x") {
			t.Errorf("logged %+v", e)
		}
	})
}

// TestUnaudited damages the audit log: nothing starts, and nothing is called.
func TestUnaudited(t *testing.T) {
	h := houseOf(vaulttest.Open(t))
	h.start(held("x", "one"), "a")
	h.Edit(`DELETE FROM audit_hashes`)
	_, err := h.runs.Start(h.Ctx, h.Me(), draft("y"), nil)
	fails(t, "AAIF-4.9-10 a start", err, memory.Unsupported, audit.ErrDamaged)
	_, err = h.runs.Get(h.Ctx, h.Me(), "y")
	fails(t, "what did not start", err, memory.NotFound, nil)
	_, err = h.runs.Append(h.Ctx, h.Me(), "x", 1, runstore.Append{Events: says("b"), Notes: []runstore.Note{{Act: audit.RunCall}}})
	fails(t, "AAIF-4.9-10 a call", err, memory.Unsupported, audit.ErrDamaged)
	if got := h.said("x"); got != `1{"a":1}` {
		t.Errorf("it says %s", got)
	}
	if err := h.append("x", 1, runstore.Change{Status: "failed", Release: true}, "b"); err != nil {
		t.Errorf("it cannot end: %v", err)
	}
}

// TestAwait waits for what another server appends.
func TestAwait(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.start(held("x", "one"), "a")
		if err := h.runs.Await(h.Ctx, h.Me(), "x", 0); err != nil {
			t.Errorf("for what has happened: %v", err)
		}
		ctx, stop := context.WithTimeout(h.Ctx, 300*time.Millisecond)
		defer stop()
		if err := h.runs.Await(ctx, h.Me(), "x", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("for what has not: %v", err)
		}
		other, woken := h.another(), make(chan error, 1)
		ctx, stop = context.WithTimeout(h.Ctx, time.Minute)
		defer stop()
		go func() { woken <- h.runs.Await(ctx, h.Me(), "x", 1) }()
		if err := other.append("x", 1, runstore.Change{}, "b"); err != nil {
			t.Fatal(err)
		}
		if err := <-woken; err != nil {
			t.Errorf("for what another server appends: %v", err)
		}
		if err := h.append("x", 1, runstore.Change{Status: "completed"}, "c"); err != nil {
			t.Fatal(err)
		}
		if err := h.runs.Await(h.Ctx, h.Me(), "x", 99); err != nil {
			t.Errorf("for more of a run that has ended: %v", err)
		}
		fails(t, "of none", h.runs.Await(h.Ctx, h.Me(), "y", 0), memory.NotFound, nil)
	})
}
