// Package postgres keeps memories in PostgreSQL, plain or distributed by Citus.
//
// Every table has the owner as the first column of its key, every statement names
// the owner, as $1, and every transaction says in app.owner for whom it runs, which
// the policies of row-level security hold it to: two walls between owners. Programs
// work as a role that owns nothing, so that the second wall holds for them.
//
// All tables lie in the schema satchel, which is the first place where names are
// looked up; in the schema public there may be whatever other programs have.
//
// # How values lie
//
//	owner     uuid: the first 16 bytes of the SHA-256 of the owner's DID
//	Number    bigint; times are microseconds since 1970 in UTC
//	Word      text COLLATE "C": satchel's own words
//	Text      bytea: strings of somebody's, of any bytes, compared bytewise; the
//	          operators of bytea are leakproof, so that they can be looked up in
//	          an index under row-level security
//	Blob      bytea
//
// What the columns of a table are says package stored; in the schema the owner comes
// before them and the seal after them.
//
// # Tables
//
//	owners          who, their counters           owner.go, owners.go
//	records         rows and their columns        records.go, filter.go
//	staged          what is not published yet     staged.go
//	postings, terms the inverted index            postings.go, terms.go
//	relations       links, to follow backwards    relations.go
//	aliases         foreign ids                   aliases.go
//	attachments     what stands beside records    attachments.go, attach.go
//	project_aliases names of projects             projects.go
//	changes         the change feed               changes.go
//	receipts        idempotency keys              receipts.go
//	imports         what was taken in             imports.go
//	lessons         what was learnt of records    lessons.go
//	grants          who was let in                grants.go
//	agents          definitions of agents         agents.go
//	states          checkpoints of agents         states.go
//	spent           tokens that served once       spent.go
//	audit …         the audit log                 audit.go
//	rates           how much was asked for        limiter.go
//	arrivals        who came from another store   carry_arrive.go
//
// All rows but those of the index, of rates and of arrivals are sealed, see package
// stored. A string that may be longer than an index can hold is found by what short
// makes of it.
//
// # Who waits for whom
//
// An Update locks the row of its owner in table owners first and writes that row
// last, so that the Updates of an owner run one after the other, on however many
// servers. A View is a snapshot and waits for nobody. Nothing waits for another owner.
package postgres
