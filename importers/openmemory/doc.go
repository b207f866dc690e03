// Package openmemory reads the backup of OpenMemory, Mem0's server for one person: the
// archive memories_export_USER.zip, the folder that it was unpacked to, or one file of it.
// It reads only.
//
//	memories.json        the tables: user, apps, categories, memories, memory_categories,
//	                     status_history, access_controls
//	memories.jsonl.gz    the memories once more, one a line, with names for ids; read where
//	                     there is no memories.json
//
// What becomes of it:
//
//	a memory that is active   semantic, its content
//	archived, or paused       the same; its valid time has ended when it was put away
//	deleted                   a loss
//	created_at                time.created; updated_at where there is none, else the file's date
//	app                       scope.agent
//	categories                body.structured.tags
//	id                        provenance.source.ref, "openmemory/ID": a memory that has
//	                          changed replaces what was imported of it before
//
// When a memory was put away is what archived_at says, else the last change to its state in
// the history, else updated_at, else created_at.
//
// The residue of a record, body.structured.openmemory, is the memory without its content,
// and under status_history what the history says of it.
//
//	rule       what it says                                            file       vectors
//	OPENMEM-1  the document is JSON: an object of tables, or lines     open.go    json-*
//	OPENMEM-2  a memory is an object with an id and a content          memory.go  memory-*
//	OPENMEM-3  names and ids are strings, metadata is an object        memory.go  member-*
//	OPENMEM-4  dates are RFC 3339, or without an offset in UTC         memory.go  date-*
//	OPENMEM-5  apps and categories have ids and names, the rest ids    tables.go  table-*
//	OPENMEM-6  the limits on documents, rows, names and texts hold     open.go    limit-*
//	OPENMEM-7  records have an owner and a date                        open.go    (tables)
//
// Losses: see losses.go.
package openmemory
