// Package postgres keeps memories in PostgreSQL, plain or distributed by Citus.
//
// Every table has the owner as the first column of its key, and every statement names
// the owner, as $1. Every transaction also sets app.owner, and the policies of
// row-level security show it only that owner's rows. So two walls stand between
// owners. Programs work as a role that owns nothing, so that the second wall holds
// for them.
//
// All tables lie in the schema satchel, where the server looks names up first. The
// schema public may hold the tables of other programs.
//
// # How values are stored
//
//	owner     uuid: the first 16 bytes of the SHA-256 of the owner's DID
//	Number    bigint; times are microseconds since 1970 in UTC
//	Word      text COLLATE "C": satchel's own words
//	Text      bytea: foreign strings, of any bytes, compared bytewise; the
//	          operators of bytea are leakproof, so that they can be looked up in
//	          an index under row-level security
//	Blob      bytea
//
// Package stored lists the columns of each table. In the schema the owner comes
// before them and the seal after them.
//
// # Tables
//
//	owners          owners and their counters     owner.go, owners.go
//	records         rows and their columns        records.go, filter.go
//	staged          runs not published yet        staged.go
//	postings, terms the inverted index            postings.go, terms.go
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
//	rates           rate limits                   limiter.go
//	arrivals        owners from another store     carry_arrive.go
//	due             work that waits               agenda.go
//
// All rows but those of the index, of rates, arrivals and due are sealed, see package
// stored. A string that may be too long for an index is found by its index key, see
// short.
//
// # Locks
//
// An Update locks the row of its owner in table owners first and writes that row
// last. So the Updates of an owner run one after the other, on any number of servers.
// A View is a snapshot and waits for no other transaction. Owners never wait for each
// other.
package postgres
