package stored

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table sessions: what lets a browser in.
//
//	owner, digest  key; of the secret
//	use … label    see [store.Session]; the store keeps no secret
var sessionsTable = Named("sessions")

// sessionRow returns the columns of table sessions for a session.
func sessionRow(s store.Session) []any {
	return []any{s.Digest, string(s.Use), s.Code, Micros(s.Made), Micros(s.Seen), Micros(s.Ends), s.Label}
}

// sessionOf is the inverse of [sessionRow], as [AgentOf] is of [agentRow].
func sessionOf(row []any) store.Session {
	var s store.Session
	s.Digest, _ = row[0].(string)
	use, _ := row[1].(string)
	s.Use = store.SessionUse(use)
	s.Code, _ = row[2].(string)
	made, _ := row[3].(int64)
	seen, _ := row[4].(int64)
	ends, _ := row[5].(int64)
	s.Made, s.Seen, s.Ends = Instant(made), Instant(seen), Instant(ends)
	s.Label, _ = row[6].(string)
	return s
}

// SessionsSQL are a store's statements on sessions. Those that delete return the seals.
type SessionsSQL struct {
	List      string // selects all
	Drop      string // deletes one by its digest
	DropEnded string // deletes those that end at a time or before
}

// Sessions finds the sessions of an owner.
type Sessions struct {
	tx  Tx
	sql *SessionsSQL
}

// NewSessions returns the sessions of the owner of a transaction.
func NewSessions(tx Tx, sql *SessionsSQL) Sessions { return Sessions{tx, sql} }

// Session looks a session up.
func (s Sessions) Session(digest string) (store.Session, error) {
	row, err := s.tx.Find(sessionsTable.Name, digest)
	switch {
	case err != nil:
		return store.Session{}, err
	case !Genuine(s.tx, sessionsTable.Name, row):
		return store.Session{}, store.ErrNotFound
	}
	return sessionOf(row.Values), nil
}

// SessionList reads all sessions.
func (s Sessions) SessionList() (found []store.Session, err error) {
	err = s.tx.Whole(sessionsTable.Name, s.sql.List, nil, func(row TableRow) error {
		if Genuine(s.tx, sessionsTable.Name, row) {
			found = append(found, sessionOf(row.Values))
		}
		return nil
	})
	slices.SortFunc(found, func(a, b store.Session) int {
		return cmp.Or(b.Made.Compare(a.Made), cmp.Compare(a.Digest, b.Digest))
	})
	return found, err
}

// SessionKeeper stores the sessions of an owner.
type SessionKeeper struct {
	Sessions
	tx WriteTx
}

var _ store.SessionKeeper = SessionKeeper{}

// NewSessionKeeper returns the keeper of the sessions of an Update's owner.
func NewSessionKeeper(tx WriteTx, sql *SessionsSQL) SessionKeeper {
	return SessionKeeper{NewSessions(tx, sql), tx}
}

// PutSession adds or replaces a session.
func (s SessionKeeper) PutSession(session store.Session) error {
	err := s.tx.Enrol()
	return errors.Join(err, s.tx.Set(sessionsTable.Name, sessionRow(session)...))
}

// DropSession drops a session.
func (s SessionKeeper) DropSession(digest string) error { return s.tx.Drop(s.sql.Drop, digest) }

// DropEnded drops the sessions that have ended.
func (s SessionKeeper) DropEnded(by time.Time) error { return s.tx.Drop(s.sql.DropEnded, Micros(by)) }
