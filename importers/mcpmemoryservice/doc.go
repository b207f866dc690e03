// Package mcpmemoryservice reads the export of mcp-memory-service, the memory server of
// doobidoo: the files of its exporter, and the lists of memories that its web interface
// returns. It is read-only.
//
//	{"export_metadata":{"source_machine":"tower","total_memories":1,…},
//	 "memories":[{"content":"Use pnpm","content_hash":"9f86…","tags":["tools"],
//	 "memory_type":"note","metadata":{"project":"demo"},
//	 "created_at":1692633600.5,"created_at_iso":"2023-08-21T16:00:00.5Z",
//	 "updated_at":1692633600.5,"updated_at_iso":"2023-08-21T16:00:00.5Z"}]}
//
// The export maps to memories as follows:
//
//	content       body.text; a memory is semantic
//	tags          body.structured.tags, also if they are one string with commas
//	created_at    time.created, in seconds since 1970; without it created_at_iso,
//	              then timestamp, updated_at and updated_at_iso, and at last the file's date
//	content_hash  provenance.source.ref, "mcp-memory-service/HASH": the same content comes
//	              back as the same record
//
// The residue of a record, body.structured.mcpmemoryservice, is the memory without its
// content and its embedding.
//
//	rule        what it says                                                  file       vectors
//	MCPMEMSV-1  the document is JSON, an object with a list memories          read.go    json-*
//	MCPMEMSV-2  a memory is an object with a content                          memory.go  memory-*
//	MCPMEMSV-3  hash, type and tags are strings, and metadata is an object    memory.go  member-*
//	MCPMEMSV-4  dates are seconds since 1970, or RFC 3339                     memory.go  date-*
//	MCPMEMSV-5  the limits on documents, memories, names and texts hold       read.go    limit-*
//	MCPMEMSV-6  records have an owner and a date                              read.go    (tables)
//
// Losses: see format.go.
package mcpmemoryservice
