// Package mcpmemory reads and writes the memory file of the Model Context Protocol's
// reference memory server, @modelcontextprotocol/server-memory, as its release
// 2026.8.31 writes it, and reads the single object of older files and of the server's
// read_graph answer.
//
// The file is a knowledge graph: entities with observations, and relations
// between entities, one JSON object per line.
//
//	{"type":"entity","name":"Ada","entityType":"person","observations":["plays chess"]}
//	{"type":"relation","from":"Ada","to":"Chess club","relationType":"member_of"}
//
// What becomes of it:
//
//	observation               semantic, "Ada: plays chess", about entity:Ada
//	entity without any        semantic, "Ada (person)", about entity:Ada
//	relation                  semantic, "Ada member_of Chess club", about both
//
// The residue of a record, body.structured.mcpmemory, is the line it came from,
// with that one observation only; members this package does not know ride with
// the entity's first record. The place in the graph is in provenance.source.ref,
// "memory.jsonl#/2/observations/0", and not in the residue: a file that has
// grown or was sorted anew gives its old records again, equal to the stored ones.
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
// On the way back (write.go) a record that came from a line becomes part of that line
// again, while it says the same. Any other becomes an observation of the first entity that
// it is about, and where it is about none, of the person: User. A line that would become
// longer than may be read goes on in another of the same name. Entities come before
// relations, in the order of the records, and nothing ends the last line: so the server
// writes its file, and takes this one.
//
// Losses: see losses.go.
package mcpmemory
