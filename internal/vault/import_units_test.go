package vault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// talks is an archive of conversations.
type talks struct {
	todo   [][]memory.Record
	at     int // unit
	within int
	broken int            // the unit that cannot be read; 0: none
	reach  map[int]func() // called before a unit is read
}

func (a *talks) Next() (memory.Record, error) {
	for a.at == 0 || a.within == len(a.todo[a.at-1]) {
		if a.at == len(a.todo) {
			return memory.Record{}, io.EOF
		}
		if a.at+1 == a.broken {
			return memory.Record{}, &codec.ParseError{Format: "talks", Path: fmt.Sprintf("/%d", a.at), Rule: "TALKS-1", Err: errors.New("broken")}
		}
		if do := a.reach[a.at+1]; do != nil {
			do()
		}
		a.at, a.within = a.at+1, 0
	}
	a.within++
	return a.todo[a.at-1][a.within-1], nil
}

func (a *talks) Unit() int            { return a.at }
func (a *talks) Losses() []codec.Loss { return nil }
func (a *talks) Close() error         { return nil }

// said is a record of a conversation; hour dates it.
func said(talk, turn, text string, hour int) memory.Record {
	ref := "conversations/" + talk
	if turn != "" {
		ref += "/" + turn
	}
	at := vaulttest.Start().Add(time.Duration(hour)*time.Hour - 1000*time.Hour)
	return memory.Record{
		Kind: memory.Episodic, Body: memory.Body{Text: text}, Scope: memory.Scope{Session: talk},
		Time: memory.Times{Created: at, Observed: at},
		Provenance: &memory.Provenance{Actor: "did:key:zElsewhere", ActorKind: memory.ByImport, Method: "talks",
			Source: &memory.Source{Provider: "talks.example", Ref: ref}},
	}
}

// archive has so many conversations of so many exchanges.
func archive(talk, exchanges int) *talks {
	a := &talks{}
	for i := range talk {
		name := fmt.Sprintf("c%d", i)
		unit := []memory.Record{said(name, "", "Conversation "+name, i)}
		for j := range exchanges {
			unit = append(unit, said(name, fmt.Sprintf("t%d", j), fmt.Sprintf("User: question %d of %s\n\nAssistant: Hello.", j, name), i))
		}
		a.todo = append(a.todo, unit)
	}
	return a
}

func (h *house) imports() []store.Import {
	h.T.Helper()
	all, err := h.Imports(h.Ctx, h.Me())
	if err != nil {
		h.T.Fatal(err)
	}
	return all
}

func TestImportUnits(t *testing.T) {
	racing.Skip(t)
	onEach(t, testImportUnits)
}

// An archive that is cut off goes on where it was, under the same number, and what was
// imported is there meanwhile.
func testImportUnits(t *testing.T, open opener) {
	h := open(t)
	a := archive(20, 9)
	ctx, stop := context.WithCancel(h.Ctx)
	a.reach = map[int]func(){18: stop}
	o := vault.ImportOptions{Digest: "d", Format: "talks"}
	if _, err := h.Import(ctx, h.Me(), a, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	i := h.imports()[0]
	if i.State != store.Partial || i.Units == 0 || i.Units >= 18 || i.Created != 10*i.Units || h.Count() != 10*i.Units {
		t.Fatalf("cut off: %+v, %d records", i, h.Count())
	}
	if len(h.Texts(memory.Query{Text: "question 3 of c0"})) == 0 {
		t.Error("what was imported is not found")
	}
	o.DryRun = true
	dry := h.MustTake(archive(20, 9), o)
	o.DryRun = false
	r := h.MustTake(archive(20, 9), o)
	for what, r := range map[string]vault.ImportReport{"dry": dry, "real": r} {
		if r.Number != i.Number || r.Before != i.Units || r.Units != 20-i.Units || r.Created != 10*r.Units || r.Read != r.Created || r.Merged != 0 {
			t.Errorf("%s: %+v after %d", what, r, i.Units)
		}
	}
	if i := h.imports()[0]; len(h.imports()) != 1 || i.State != store.Published || i.Units != 20 || i.Created != 200 || h.Count() != 200 {
		t.Errorf("at the end: %+v, %d records", i, h.Count())
	}
	if !h.MustTake(archive(20, 9), o).Known {
		t.Error("it is not known again")
	}
	if done, err := h.Undo(h.Ctx, h.Me(), i.Number); err != nil || done.Removed != 200 || h.Count() != 0 {
		t.Errorf("undone: %+v, %v, %d left", done, err, h.Count())
	}
	vaulttest.WantCounts(t, h.MustTake(archive(20, 9), o), 200, 0)
}

// Half an import is taken back, also while somebody is at work on it.
func TestImportUnitsUndo(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	a := archive(20, 9)
	o := vault.ImportOptions{Digest: "d"}
	a.reach = map[int]func(){18: func() {
		if done, err := h.Undo(h.Ctx, h.Me(), 1); err != nil || done.Removed == 0 {
			t.Errorf("%+v, %v", done, err)
		}
	}}
	_, err := h.Import(h.Ctx, h.Me(), a, o)
	vaulttest.WantKind(t, err, memory.Unsupported)
	if i := h.imports()[0]; i.State != store.TakenBack || h.Count() != 0 {
		t.Errorf("%+v, %d records", i, h.Count())
	}
	vaulttest.WantCounts(t, h.MustTake(archive(20, 9), o), 200, 0)
}

// An undo that was cut off is completed before anything else is done.
func TestImportUnitsUndoing(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	a := archive(20, 9)
	a.broken = 18
	o := vault.ImportOptions{Digest: "d"}
	_, err := h.Import(h.Ctx, h.Me(), a, o)
	vaulttest.WantKind(t, err, memory.InvalidRecord)
	ctx, stop := context.WithCancel(h.Ctx)
	stop()
	if _, err := h.Undo(ctx, h.Me(), 1); err == nil {
		t.Fatal("undone")
	}
	if r := h.MustTake(archive(20, 9), vault.ImportOptions{Digest: "d", DryRun: true}); r.Before != 17 {
		t.Errorf("nothing was begun, and yet %+v", r)
	}
	if err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
		i, err := w.Import(1)
		if err != nil {
			return err
		}
		i.Lease = time.Time{}
		_, err = w.SetImport(i)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	_, err = h.Import(h.Ctx, h.Me(), archive(20, 9), o)
	vaulttest.WantKind(t, err, memory.Unsupported)
	if done, err := h.Undo(h.Ctx, h.Me(), 1); err != nil || done.Removed != 170 || h.Count() != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}

// What stands before a conversation that cannot be read stays, and the refusal says so.
func TestImportUnitsBroken(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	a := archive(20, 9)
	a.broken = 18
	r, err := h.Import(h.Ctx, h.Me(), a, vault.ImportOptions{Digest: "d"})
	vaulttest.WantKind(t, err, memory.InvalidRecord)
	if want := "the 17 conversations before it were imported and stay"; r.Number != 1 || h.Count() != 170 || !strings.Contains(err.Error(), want) {
		t.Errorf("%d records, %v", h.Count(), err)
	}
	vaulttest.WantCounts(t, h.MustTake(archive(20, 9), vault.ImportOptions{Digest: "mended"}), 30, 170)
}

// Two who import the same archive at once share the work.
func TestImportUnitsTogether(t *testing.T) {
	h := open(t)
	a := archive(20, 9)
	var other vault.ImportReport
	a.reach = map[int]func(){10: func() { other = h.MustTake(archive(20, 9), vault.ImportOptions{Digest: "d"}) }}
	r := h.MustTake(a, vault.ImportOptions{Digest: "d"})
	if r.Number != other.Number || r.Created+other.Created != 200 || r.Merged+other.Merged != 0 || h.Count() != 200 {
		t.Errorf("%+v and %+v, %d records", r, other, h.Count())
	}
	if all := h.imports(); len(all) != 1 || all[0].Created != 200 || all[0].State != store.Published {
		t.Errorf("%+v", all)
	}
}
