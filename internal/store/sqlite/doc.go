// Package sqlite keeps memories in one file with SQLite. Several processes on
// that file are the normal case: reads run beside one another and beside a
// write, writes queue up on a lock file and share commits within a process.
//
// Beside the store file there are
//
//	NAME-wal, NAME-shm     SQLite's log and its index
//	NAME.lock, NAME.next   empty; the queue of writers, see gate
//	NAME.out-OWNER         lock on output of the owner's data, see exportLock
//	NAME.erase             8 bytes; whether an eraser asks to go first, see eraserSignal
//	NAME.copy-*            a copy in the making, locked, see spare
//	NAME.vN.bak            the store as it was before a migration from schema N
//
// The statements of each table, and its layout, here or in the file of package stored
// that bears the table's name:
//
//	owners          owners and their counters     owners.go
//	records         rows and their columns        records.go, filter.go
//	staged          runs not published yet        staged.go
//	postings        the inverted index            postings.go, terms.go; pending.go, removals.go, tail.go
//	relations       links, to follow backwards    relations.go
//	aliases         foreign ids                   relations.go
//	attachments     data beside the records       attachments.go, attach.go
//	project_aliases names of projects             relations.go
//	changes         the change feed               journal.go
//	receipts        idempotency keys              journal.go
//	imports         imports                       journal.go
//	lessons         lessons of injected records   lessons.go
//	grants          access of others              grants.go
//	agents          definitions of agents         agents.go
//	states          checkpoints of agents         agents.go
//	spent           tokens that served once       agents.go
//	runs            runs of agents                agent_runs.go
//	run_events      what happened in them         agent_runs.go
//	sessions        browsers of the owner         sessions.go
//	readings        what assistants were given    sessions.go
//	audit …         the audit log                 journal.go
//	arrivals        owners from another store     carry_arrive.go
//	due             work that waits               agenda.go
//	lineage         which history this is         agent_runs.go
//
// All rows but those of postings, arrivals, due and lineage are sealed, see table.go and package
// stored.
//
// Owners have small numbers inside the file. The key of a row combines the owner's
// number and the row's, see key.
package sqlite
