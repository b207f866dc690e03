package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// session is one owner's view within a transaction: a [store.Reader].
type session struct {
	c      *conn
	ctx    context.Context
	did    memory.DID
	owner  owner // the zero owner has no rows
	runs   []run // staged documents, once they are known
	knows  bool  // runs is filled in
	taught *bool // whether the owner has lessons; nil: not known
	ended  bool
	sealer func() *stored.Sealer // of the owner; nil: nothing is known of seals
	writes bool                  // in an Update
	seen   stored.Seen           // rows that were read, see scanRow
}

var (
	_ store.Reader = (*session)(nil)
	_ store.Writer = (*writer)(nil)
)

var errEnded = errors.New("a Reader or Writer was used after its function had returned")

func (s *session) end() { s.ended = true }

// Owner implements [store.Reader].
func (s *session) Owner() memory.DID { return s.did }

// ready refuses calls that come too late.
func (s *session) ready() error {
	if s.ended {
		return &memory.Error{Kind: memory.Internal, Op: "read", Err: errEnded}
	}
	return s.ctx.Err()
}

// each runs a query and calls scan for each of its rows.
func (s *session) each(query string, args []any, scan func(*sql.Rows) error) error {
	if err := s.ready(); err != nil {
		return err
	}
	return translate("read", s.c.each(query, args, scan))
}

// first scans the first row of a query, or returns [store.ErrNotFound].
func (s *session) first(query string, args []any, into ...any) error {
	if err := s.ready(); err != nil {
		return err
	}
	err := s.c.first(query, args, into...)
	if errors.Is(err, sql.ErrNoRows) {
		return store.ErrNotFound
	}
	return translate("read", err)
}

// writer is a session that writes: a [store.Writer].
type writer struct {
	session
	seals     *stored.Sealer
	dirty     bool  // the owner's counters have changed
	left      bool  // content has left, and that is counted
	failed    error // a statement failed and left a write half done
	unwritten       // what the index does not say yet
}

// exec runs a statement that writes. After a failure nothing of this Update can
// be kept, whatever the function makes of the error.
func (w *writer) exec(query string, args ...any) (int64, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	if w.failed != nil {
		return 0, w.failed
	}
	n, err := w.c.exec(query, args...)
	if err != nil {
		w.failed = translate("write", err)
	}
	return n, w.failed
}
