package sqlite

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// session is one owner's view within a transaction: a [store.Reader]. Each of its parts
// reads some of the tables.
type session struct {
	*ownerTx
	records
	search
	attachments
	lessons
	grants
	stored.Names
	stored.Journal
	stored.Standing
}

var (
	_ store.Reader = (*session)(nil)
	_ store.Writer = (*writer)(nil)
)

func newSession(tx *ownerTx) *session {
	return &session{
		ownerTx: tx, records: records{ownerTx: tx}, search: search{tx}, attachments: attachments{tx}, lessons: lessons{tx}, grants: grants{tx},
		Names: stored.NewNames(tx, namesSQL), Journal: stored.NewJournal(tx, journalSQL), Standing: stored.NewStanding(tx),
	}
}

// Owner implements [store.Reader].
func (s *session) Owner() memory.DID { return s.did }

// Agents implements [store.Reader].
func (s *session) Agents() store.Agents { return newAgents(s.ownerTx) }

// Sessions implements [store.Reader].
func (s *session) Sessions() store.Sessions { return stored.NewSessions(s.ownerTx, sessionsSQL) }

// Runs implements [store.Reader].
func (s *session) Runs() store.Runs {
	return stored.NewAgentRuns(s.ownerTx, runHome{s.ownerTx}, agentRunsSQL)
}

// Readings implements [store.Reader].
func (s *session) Readings() store.Readings { return stored.NewReadings(s.ownerTx, readingsSQL) }

// Audit implements [store.Reader].
func (s *session) Audit() store.Audit { return stored.NewAudit(s.ownerTx, auditSQL) }

// writer is a session that writes: a [store.Writer].
type writer struct {
	*ownerTx
	*session
	*writeTx
	recordWriter
	stored.NameKeeper
	stored.JournalKeeper
	stored.StandingChange
}

func newWriter(tx *ownerTx, seals *stored.Sealer) *writer {
	w := &writeTx{ownerTx: tx, seals: seals}
	return &writer{
		ownerTx: tx, session: newSession(tx), writeTx: w,
		recordWriter: recordWriter{writeTx: w, indexer: &indexer{writeTx: w}, attacher: attacher{w}},
		NameKeeper:   stored.NewNameKeeper(w, namesSQL), JournalKeeper: stored.NewJournalKeeper(w, journalSQL),
		StandingChange: stored.NewStandingChange(w),
	}
}

// AgentKeeper implements [store.Writer].
func (w *writer) AgentKeeper() store.AgentKeeper {
	return struct {
		agents
		stored.AgentKeeper
	}{newAgents(w.ownerTx), stored.NewAgentKeeper(w.writeTx, agentsSQL)}
}

// RunKeeper implements [store.Writer].
func (w *writer) RunKeeper() store.RunKeeper {
	return stored.NewAgentRunKeeper(w.writeTx, runHome{w.ownerTx}, agentRunsSQL)
}

// SessionKeeper implements [store.Writer].
func (w *writer) SessionKeeper() store.SessionKeeper {
	return stored.NewSessionKeeper(w.writeTx, sessionsSQL)
}

// ReadingKeeper implements [store.Writer].
func (w *writer) ReadingKeeper() store.ReadingKeeper {
	return stored.NewReadingKeeper(w.writeTx, readingsSQL)
}

// AuditKeeper implements [store.Writer].
func (w *writer) AuditKeeper() store.AuditKeeper { return stored.NewAuditKeeper(w.writeTx, auditSQL) }

// Holder returns a row by its id, staged or not.
func (w *writer) Holder(id memory.ID) (store.Row, error) { return w.held(id) }

// SetLesson files the lesson of a row.
func (w *writer) SetLesson(document int64, l store.Lesson) error {
	exists := false
	if err := w.first(selectExists, []any{w.owner.key(document)}, &exists); err != nil {
		return err
	}
	if !exists {
		return store.ErrNotFound
	}
	w.taught = nil
	return w.set(lessonsTable, document, l.Followed, l.Overridden, l.Ignored, l.Contradicted, stored.Micros(l.At))
}

const selectExists = `SELECT EXISTS (SELECT 1 FROM records WHERE doc = ?)`

// SetGrant files a grant. If a revoked grant has gone missing, the owner's row
// continues to show that.
func (w *writer) SetGrant(g store.Grant) error {
	if err := w.Enrol(); err != nil {
		return err
	}
	before, err := w.listRevoked()
	if err != nil {
		return err
	}
	if err := w.set(grantsTable, stored.GrantRow(g)...); err != nil || !w.owner.Agrees(before) {
		return err
	}
	after, err := w.listRevoked()
	w.owner.Revoked = stored.RevokedDigest(after)
	return err
}

// finish writes the pending index entries and the owner's row, after the function has
// succeeded.
func (w *writer) finish() error {
	if w.failed == nil {
		w.failed = w.finishIndex()
	}
	if w.failed == nil {
		w.failed = stored.NewReadingKeeper(w.writeTx, readingsSQL).Unread(w.deleted)
	}
	return w.writeTx.finish()
}

// Publish removes the runs of an import.
func (w *writer) Publish(imp int64) (rows int, err error) {
	if err := w.loadRuns(); err != nil {
		return 0, err
	}
	w.runs, rows = w.runs.Publish(imp)
	return rows, w.Drop(deleteImport, imp)
}
