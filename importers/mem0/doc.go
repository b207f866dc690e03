// Package mem0 reads and writes what Mem0 answers when it is asked for all memories, or
// for some: the open source library's get_all and search, with the graph or without, the
// pages of its platform, and the lists that people make of them.
//
//	{"results":[{"id":"6149…","memory":"Prefers pnpm","hash":"5d41…","metadata":{"k":1},
//	 "created_at":"2026-11-20T18:31:00Z","updated_at":null,"user_id":"sam",
//	 "categories":["preferences"]}],
//	 "relations":[{"source":"sam","relationship":"lives_in","target":"porto"}]}
//
// The list may also be called memories or items, or be the whole document; a text may be
// called memory, text, data or content, or be the memory of an object data.
//
// What becomes of it:
//
//	a memory        semantic, its text
//	created_at      time.created; updated_at where there is none, else the file's date
//	expiration_date time.valid_to: a day belongs to the time in which the memory is valid
//	user_id, agent_id, run_id     scope.user, scope.agent, scope.session
//	categories      body.structured.tags
//	id              provenance.source.ref, "mem0/ID": a memory that has changed replaces
//	                what was imported of it before
//	a relation      semantic, "sam lives_in porto", about both
//
// The residue of a record, body.structured.mem0, is the item or the relation it came from,
// where the record does not say all of it, and with the first record what else the document
// says. In what is kept one by one, that stays away.
//
// On the way back a record that came from an item becomes that item again, and what was
// changed since is changed in it, but for its hash, which goes. Any other record becomes an
// item of results.
//
//	rule    what it says                                             file       vectors
//	MEM0-1  the document is JSON, a list or an object with one list  scan.go    json-*
//	MEM0-2  an item is an object with a text                         item.go    item-*
//	MEM0-3  ids are strings, numbers or null; categories are strings item.go    name-*
//	MEM0-4  dates are RFC 3339, or without an offset in UTC          item.go    date-*
//	MEM0-5  a relation has two ends and says what it is              relation.go relation-*
//	MEM0-6  the limits on documents, items, names and texts hold     scan.go    limit-*
//	MEM0-7  records have an owner and a date                         scan.go    (tables)
//
// Losses: see losses.go.
package mem0
