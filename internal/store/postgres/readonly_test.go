package postgres

import (
	"errors"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/memory"
)

// TestReadOnly has a database that can only be read, as a replica is, answer
// questions and refuse changes by their name.
func TestReadOnly(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{})
	url := server.Database(t)
	if err := Init(t.Context(), url, Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), url+"&default_transaction_read_only=on", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	owner := memory.DID("did:key:reader")
	if err := s.View(t.Context(), owner, func(store.Reader) error { return nil }); err != nil {
		t.Errorf("a question: %v", err)
	}
	err = s.Update(t.Context(), owner, func(w store.Writer) error { return w.SetMoved("away") })
	if !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a change: %v", err)
	}
}
