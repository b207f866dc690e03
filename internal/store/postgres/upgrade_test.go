package postgres

import (
	"errors"
	"testing"

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
	execute(t, url, `DROP TABLE sessions`, `DROP TABLE due`, `DROP INDEX owners_label`, `DROP INDEX changes_erased`, `DROP TABLE attachments`, `DROP TABLE agents`, `DROP TABLE states`, `DROP TABLE spent`, `ALTER TABLE owners DROP COLUMN attached`, `ALTER TABLE imports DROP COLUMN units`,
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
	execute(t, url, `DROP TABLE sessions`, `DROP TABLE due`, `DROP INDEX owners_label`, `DROP INDEX changes_erased`, `ALTER TABLE states DROP COLUMN departed, DROP COLUMN bound, DROP COLUMN address`,
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
