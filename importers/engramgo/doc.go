// Package engramgo reads the files of the memory server engram of Gentleman-Programming,
// as of its release 1.7.0: the file of `engram export`, and the folder of `engram sync`,
// manifest.json with chunks/*.jsonl.gz. Only the name connects it with the Engram
// Standard. It is read-only.
//
//	{"version":"0.1.0","sessions":[…],"observations":[{"id":1,"type":"decision",
//	 "title":"Package manager","content":"Use pnpm","project":"demo","scope":"project",
//	 "created_at":"2026-11-20 17:43:09"}],"prompts":null}
//
// The file maps to memories as follows:
//
//	observation of type bugfix, session_summary, manual   episodic
//	observation of type pattern, config                   procedural
//	any other observation                                 semantic
//	title and content        "Package manager: Use pnpm"
//	project                  scope.project, unless the scope is personal
//	type and topic_key       body.structured.tags
//
// The residue of a record, body.structured.engramgo, is the observation without title
// and content. provenance.source.ref names it by id, so that a longer file gives its old
// records again.
//
//	rule          what it says                                            file       vectors
//	ENGRAMGO-1    the document is one JSON object, a chunk has one a line decode.go  json-*
//	ENGRAMGO-2    observations are a list of objects                      check.go   list-*
//	ENGRAMGO-3    an observation has an id, a type, a content and a date  check.go   observation-*
//	ENGRAMGO-4    the limits on documents, names, texts and counts hold   check.go   limit-*
//	ENGRAMGO-5    records have an owner                                   decode.go  (tables)
//
// Losses: prompts, and sessions except their ids; deleted or blank observations. The
// residue holds how often an observation was seen.
package engramgo
