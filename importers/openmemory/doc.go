// Package openmemory reads the backup of OpenMemory, Mem0's server for one person: the
// archive memories_export_USER.zip, its unpacked folder, or one file of it. It is
// read-only.
//
//	memories.json        the tables: user, apps, categories, memories, memory_categories,
//	                     status_history, access_controls
//	memories.jsonl.gz    the memories once more, one a line, with names for ids; read if
//	                     there is no memories.json
//
// The backup maps to memories as follows:
//
//	an active memory          semantic, its content
//	archived, or paused       the same; its valid time ended when it was put away
//	deleted                   a loss
//	created_at                time.created; without it updated_at, else the file's date
//	app                       scope.agent
//	categories                body.structured.tags
//	id                        provenance.source.ref, "openmemory/ID": a changed memory
//	                          replaces its earlier import
//
// archived_at says when a memory was put away; without it the last change to its state in
// the history, else updated_at, else created_at.
//
// The residue of a record, body.structured.openmemory, is the memory without its content,
// and its history under status_history.
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
// Losses: see format.go.
package openmemory
