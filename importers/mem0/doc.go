// Package mem0 reads and writes the lists of memories that Mem0 returns: from get_all and
// search of the open source library, with the graph or without, from the pages of its
// platform, and lists that people make of them.
//
//	{"results":[{"id":"6149…","memory":"Prefers pnpm","hash":"5d41…","metadata":{"k":1},
//	 "created_at":"2026-11-20T18:31:00Z","updated_at":null,"user_id":"sam",
//	 "categories":["preferences"]}],
//	 "relations":[{"source":"sam","relationship":"lives_in","target":"porto"}]}
//
// The list may also be called memories or items, or be the whole document; a text may be
// called memory, text, data or content, or be the memory of an object data.
//
// The document maps to memories as follows:
//
//	a memory        semantic, its text
//	created_at      time.created; without it updated_at, else the file's date
//	expiration_date time.valid_to: a day is still part of the memory's valid time
//	user_id, agent_id, run_id     scope.user, scope.agent, scope.session
//	categories      body.structured.tags
//	id              provenance.source.ref, "mem0/ID": a changed memory replaces its earlier
//	                import
//	a relation      semantic, "sam lives_in porto", about both
//
// The residue of a record, body.structured.mem0, is its item or relation, if the record
// does not hold all of it. The first record also carries the document's other members,
// unless records are kept one by one.
//
// The writer turns a record that comes from an item into that item again, with the changes
// since; the hash of a changed item goes. Any other record becomes an item of results.
//
//	rule    what it says                                             file       vectors
//	MEM0-1  the document is JSON, a list or an object with one list  scan.go    json-*
//	MEM0-2  an item is an object with a text                         item.go    item-*
//	MEM0-3  ids are strings, numbers or null; categories are strings item.go    name-*
//	MEM0-4  dates are RFC 3339, or without an offset in UTC          item.go    date-*
//	MEM0-5  a relation has two ends and a type                       relation.go relation-*
//	MEM0-6  the limits on documents, items, names and texts hold     scan.go    limit-*
//	MEM0-7  records have an owner and a date                         scan.go    (tables)
//
// Losses: see format.go.
package mem0
