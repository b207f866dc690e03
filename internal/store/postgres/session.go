package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// session is one owner's view within a transaction: a [store.Reader].
type session struct {
	tx      *tx
	ctx     context.Context
	did     memory.DID
	id      ownerID
	owner   owner
	runs    []run               // staged documents, once they are known
	taught  *bool               // whether the owner has lessons; nil: not known
	docs    map[memory.ID]int64 // which document has an id, as far as is known; 0: none has
	ahead   ahead               // what is known of terms
	seen    stored.Seen         // what was read by its number, see remember
	writes  bool                // it is a writer's
	ended   bool
	carries bool                  // it may meet an owner on the way
	sealer  func() *stored.Sealer // of the owner; nil: nothing is known of seals
}

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

// each runs a query and calls scan for each of its rows. The owner is $1 and is put
// before args. What is queued goes to the server before it, in the same round trip.
// scan must not run another query.
func (s *session) each(query string, args []any, scan func(pgx.Rows) error) error {
	return s.all(statement{query: query, args: args, scan: scan})
}

// first scans the first row of a query, or returns [store.ErrNotFound].
func (s *session) first(query string, args []any, into ...any) error {
	found := false
	err := s.each(query, args, func(rows pgx.Rows) error {
		if found {
			return nil
		}
		found = true
		return rows.Scan(into...)
	})
	if err == nil && !found {
		return store.ErrNotFound
	}
	return err
}

// all runs several queries in one round trip, in their order.
func (s *session) all(list ...statement) error {
	if err := s.ready(); err != nil {
		return err
	}
	return s.tx.send(s.ctx, "read", s.named(list)...)
}

// named puts the owner before the arguments of statements.
func (s *session) named(list []statement) []statement {
	for i, st := range list {
		list[i].args = append([]any{[16]byte(s.id)}, outgoing(append([]any(nil), st.args...))...)
	}
	return list
}
