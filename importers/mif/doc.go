// Package mif reads the Memory Interchange Format, any edition 2.x, as its JSON Schema
// describes it. It is read-only.
//
//	{"mif_version":"2.0","generator":{"name":"shed","version":"1.4.0"},
//	 "memories":[{"id":"1b9e…","content":"Prefers oak","memory_type":"decision",
//	  "created_at":"2026-11-20T18:31:00Z","tags":["wood"],"entities":[{"name":"oak"}]}],
//	 "knowledge_graph":{"entities":[{"id":"e1","name":"oak"}],"relationships":[…]}}
//
// The document maps to memories as follows:
//
//	a memory          its content; conversation, error, code_edit, file_access, search
//	                  and command are episodic, pattern is procedural, task and intention
//	                  are working, the five kinds are themselves, the others semantic
//	created_at        time.created; a later updated_at time.observed
//	tags              body.structured.tags
//	entities          relations about entity:NAME
//	agent_id          scope.agent, or else the agent_name of the source
//	session_id        scope.session
//	id                provenance.source.ref "memory/ID", of the provider generator.name: a
//	                  changed memory replaces its earlier import
//	an entity of the graph   semantic, "oak: SUMMARY" or "oak (tree)", about entity:oak
//	a relationship    semantic, "oak grows_in park: CONTEXT", about both; invalidated_at
//	                  ends its valid time
//
// The residue of a record, body.structured.mif, is the memory, the entity or the
// relationship without its text, and without the numbers of a vector. It includes the
// vendors' data about a memory, memory_metadata by id, as vendor_extensions. It therefore
// holds metadata, sources, parents, related memories, versions, confidence and members of
// other editions and of vendors.
//
//	rule   what it says                                               file      vectors
//	MIF-1  the document is one JSON object, strictly                  read.go   json-*
//	MIF-2  it is of an edition 2.x, and has a list of memories        read.go   version-*, list-*
//	MIF-3  a memory has an id of its own, a content and a date        memory.go memory-*
//	MIF-4  an entity has an id and a name, a relationship has both ends and a type  graph.go  graph-*
//	MIF-5  the limits on documents, records, names, texts and counts hold  read.go   limit-*
//	MIF-6  records have an owner and a date                           read.go   (tables)
//
// Losses: see format.go.
package mif
