// Package mcpmemory reads and writes the memory file of the Model Context Protocol's
// reference memory server, @modelcontextprotocol/server-memory, as of its release
// 2026.8.31. It also reads the single object of older files and of the server's
// read_graph answer.
//
// The file is a knowledge graph: entities with observations, and relations
// between entities, one JSON object per line.
//
//	{"type":"entity","name":"Ada","entityType":"person","observations":["plays chess"]}
//	{"type":"relation","from":"Ada","to":"Chess club","relationType":"member_of"}
//
// The file maps to memories as follows:
//
//	observation               semantic, "Ada: plays chess", about entity:Ada
//	entity without any        semantic, "Ada (person)", about entity:Ada
//	relation                  semantic, "Ada member_of Chess club", about both
//
// The residue of a record, body.structured.mcpmemory, is its line, with that one
// observation only; the entity's first record carries members that this package does not
// know. The place in the graph is in provenance.source.ref,
// "memory.jsonl#/2/observations/0", and not in the residue: a longer or reordered file
// gives its old records again, equal to the stored ones.
//
//	rule       what it says                                       file       vectors
//	MCPMEM-1   every line is one JSON object, strictly            scan.go    json-*
//	MCPMEM-2   its type is "entity" or "relation"                 check.go   type-*
//	MCPMEM-3   an entity has a name, a type and observations      check.go   entity-*
//	MCPMEM-4   a relation has two ends and a type                 check.go   relation-*
//	MCPMEM-5   the limits on lines, names, texts and counts hold  check.go   limit-*
//	MCPMEM-6   an older file is one object of two lists           scan.go    graph-*
//	MCPMEM-7   records have an owner and a date                   decode.go  (tables)
//
// The writer (write.go) turns a record that comes from a line into a part of that line
// again, if it still says the same. Any other record becomes an observation of the first
// entity that it is about, or of the person, User, if there is none. If a line would become
// too long to read, another line of the same name continues it. Entities come before
// relations, in the order of the records, and no line feed ends the last line: the server
// writes its file so, and accepts this one.
//
// Losses: see format.go.
package mcpmemory
