package postgres

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestUpgrade brings a database of schema 1 up to date, which nobody works with until
// then. Every row is as it was, to its seal, and attachments, agents and sessions can be added.
func TestUpgrade(t *testing.T) {
	url := made(t)
	update(t, openSealed(t, url, secretOf), func(w store.Writer) error {
		for _, id := range []string{"urn:ump:1", "urn:ump:2"} {
			if _, err := w.Insert(fullRow(memory.ID(id)), wordDocument, store.Links{}); err != nil {
				return err
			}
		}
		return errors.Join(w.SetAlias("space", "x", "urn:ump:1"), w.SetProjectAlias("a", "b"))
	})
	execute(t, url, `DROP TABLE runs`, `DROP TABLE run_events`, `ALTER TABLE schema_version DROP COLUMN lineage`, `DROP TABLE readings`, `DROP TABLE sessions`, `DROP TABLE due`, `DROP INDEX owners_label`, `DROP INDEX changes_erased`, `DROP TABLE attachments`, `DROP TABLE agents`, `DROP TABLE states`, `DROP TABLE spent`, `ALTER TABLE owners DROP COLUMN attached`, `ALTER TABLE imports DROP COLUMN units`,
		`UPDATE schema_version SET version = 1, compatible = 1`, `DELETE FROM goose_db_version WHERE version_id >= 2`)
	if s, err := Open(t.Context(), url, Options{}); err == nil {
		t.Error("it opened before it was brought up to date", s.Close())
	}
	must(t, Migrate(t.Context(), url, Options{}))
	s := openSealed(t, url, secretOf)
	sound(t, s)
	update(t, s, func(w store.Writer) error {
		n, err := store.Attach(w, store.Attachment{Space: "s", Key: "k", From: "urn:ump:1", To: "urn:ump:2", Data: []byte("data")})
		if err == nil && n != 1 {
			t.Errorf("the first has number %d", n)
		}
		return errors.Join(err, w.AgentKeeper().PutAgent(store.Agent{ID: "a", Revision: 1, Document: []byte("{}")}),
			w.AgentKeeper().PutState(store.State{ID: "x", Agent: "a", Document: []byte("{}")}), w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1"}, birth),
			w.SessionKeeper().PutSession(store.Session{Digest: "d", Use: store.Visit, Made: birth, Seen: birth, Ends: birth}))
	})
	sound(t, s)
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		_, err := r.Attached("s", "k", 0)
		_, err2 := r.Alias("space", "x")
		return errors.Join(err, err2)
	}))
}

// TestUpgradeStates brings a database of schema 4 up to date: its checkpoints are as they
// were, to their seals, and can leave.
func TestUpgradeStates(t *testing.T) {
	url := made(t)
	kept := store.State{ID: "x", Agent: "a", Run: "r", Status: "paused", Source: "s", Checkpoint: birth, Received: birth, Document: []byte("{}")}
	update(t, openSealed(t, url, secretOf), func(w store.Writer) error { return w.AgentKeeper().PutState(kept) })
	execute(t, url, `DROP TABLE runs`, `DROP TABLE run_events`, `ALTER TABLE schema_version DROP COLUMN lineage`, `DROP TABLE readings`, `DROP TABLE sessions`, `DROP TABLE due`, `DROP INDEX owners_label`, `DROP INDEX changes_erased`, `ALTER TABLE states DROP COLUMN departed, DROP COLUMN bound, DROP COLUMN address`,
		`UPDATE schema_version SET version = 4, compatible = 4`, `DELETE FROM goose_db_version WHERE version_id >= 5`)
	must(t, Migrate(t.Context(), url, Options{}))
	s := openSealed(t, url, secretOf)
	sound(t, s)
	update(t, s, func(w store.Writer) error {
		got, err := w.Agents().State("x")
		if got.Departed != (store.Departure{}) {
			t.Errorf("it left before it could: %+v", got.Departed)
		}
		got.Departed = store.Departure{At: birth, For: "elsewhere"}
		return errors.Join(err, w.AgentKeeper().DropState("x"), w.AgentKeeper().PutState(got))
	})
	sound(t, s)
}

// TestPlanAndFinish brings a database of schema 5 up to date in two halves: programs of that
// schema may work until the second.
func TestPlanAndFinish(t *testing.T) {
	url := made(t)
	if steps, beside, err := Plan(t.Context(), url, Options{}); err != nil || len(steps) != 0 || beside != 0 {
		t.Errorf("of a new store: %+v, %d, %v", steps, beside, err)
	}
	update(t, openSealed(t, url, secretOf), func(w store.Writer) error { return insertSmall(w, "urn:a") })
	execute(t, url, `DROP TABLE runs`, `DROP TABLE run_events`, `ALTER TABLE schema_version DROP COLUMN lineage`, `DROP TABLE readings`, `DROP TABLE sessions`, `DROP TABLE due`, `DROP INDEX owners_label`, `DROP INDEX changes_erased`,
		`UPDATE schema_version SET version = 5, compatible = 5`, `DELETE FROM goose_db_version WHERE version_id >= 6`)
	steps, beside, err := Plan(t.Context(), url, Options{})
	must(t, err)
	if len(steps) != 7 || beside != 0 {
		t.Fatalf("%+v, beside %d", steps, beside)
	}
	for i, want := range []Step{{Number: 6, Reads: []string{"changes"}, Beside: 5}, {Number: 7, Reads: []string{"owners"}, Beside: 5}, {Number: 8, Beside: 5}, {Number: 9, Beside: 5}, {Number: 10, Beside: 5}, {Number: 11, Beside: 5}, {Number: 12, Beside: 5}} {
		got := steps[i]
		if got.Number != want.Number || got.Waits || got.Beside != want.Beside || !slices.Equal(got.Reads, want.Reads) || (got.Bytes == 0) != (want.Reads == nil) || got.Does == "" {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if err := Finish(t.Context(), url, Options{}); !errors.Is(err, store.ErrOperator) {
		t.Errorf("finished before it began: %v", err)
	}
	must(t, Migrate(t.Context(), url, Options{}))
	works := func(known int) error {
		var v version
		c, err := pgx.Connect(t.Context(), url)
		must(t, err)
		defer c.Close(context.Background()) // nothing is under way
		must(t, c.QueryRow(t.Context(), `SELECT version, compatible FROM satchel.schema_version`).Scan(&v.number, &v.compatible))
		return version{number: int32(known), compatible: v.compatible}.acceptable(known)
	}
	if steps, beside, err = Plan(t.Context(), url, Options{}); err != nil || len(steps) != 0 || beside != 5 || works(5) != nil || works(4) == nil {
		t.Errorf("after the first half: %+v, beside %d, %v; schema 5: %v, schema 4: %v", steps, beside, err, works(5), works(4))
	}
	s := openSealed(t, url, secretOf)
	update(t, s, func(w store.Writer) error { return w.Reschedule(store.Tell, time.Time{}) })
	execute(t, url, `INSERT INTO satchel.due (owner, work, at) VALUES (gen_random_uuid(), 'sweep', 0)`) // of an owner whom schema 5 has erased
	for range 2 {
		must(t, Finish(t.Context(), url, Options{}))
	}
	if err := works(5); !errors.Is(err, store.ErrNewer) {
		t.Errorf("schema 5 after the second half: %v", err)
	}
	sound(t, s)
	for _, work := range store.AllWork() {
		if owners, err := s.Due(t.Context(), work, time.UnixMicro(0), 9); err != nil || len(owners) != 1 {
			t.Errorf("%s is due for %q, %v", work, owners, err)
		}
	}
}

// TestSteps expects of every migration that it says what it does.
func TestSteps(t *testing.T) {
	steps, err := stepsAfter(0)
	must(t, err)
	known, err := latest()
	must(t, err)
	if len(steps) != known {
		t.Fatalf("%d steps to schema %d", len(steps), known)
	}
	for i, s := range steps {
		if s.Number != i+1 || s.Beside > s.Number || s.Beside < s.Number && s.Waits {
			t.Errorf("%+v", s)
		}
		if s.Number > leavesSchema && s.Beside < leavesSchema {
			t.Errorf("programs that cannot read leaves may work after %+v", s)
		}
	}
	for _, text := range []string{"-- Plan: x", "UPDATE schema_version SET version = 9, compatible = 9;"} {
		if s, err := stepOf("00009_x.sql", text); err == nil {
			t.Errorf("%q is understood as %+v", text, s)
		}
	}
}
