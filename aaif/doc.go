// Package aaif is the room of the Autonomous Agent Interchange Format
// (draft-schemacommons-aaif-00, 25 June 2026, with the schemas of edition 3.4.0):
// definitions of agents, checkpoints of their runs, manifests and conformance reports
// of platforms, and the registries of what may be named in them. It needs no model, no
// store and no network, and it runs no agent.
//
// A document is a tree that keeps what it was read from: unknown members, extensions
// and the spelling of numbers included. The types are views of such a tree, with the
// defaults filled in; writing changes only what differs from it.
//
//	2, 4, 9   document.go read.go            which document, read within limits, as JSON or CBOR
//	4, 5      agent*.go words.go             definitions
//	8.1       state.go                       checkpoints
//	7         manifest.go offer*.go          platform manifests, and how ours comes about
//	7         negotiate*.go capability.go    what an agent needs, held against a manifest
//	6         report.go evidence.go corpus.go   conformance reports, and what they rest on
//	10        registry*.go registry/         registries, as data
//	          fields.go                      trees to types and back
//	4–10      validate.go violation.go schema/   JSON Schemas of this room
//	4–8       lint*.go                       what no schema can say
//	12        secrets.go                     credentials that a document must not hold
//	6         level*.go                      conformance levels
//	          alarm.go                       which changes of a definition must not be overlooked
//	12        sign.go    8.1 checksum.go
//	8.2       token*.go principal.go         migration tokens, and whose run moves
//	8.1       transition.go restore.go truncate.go   how a run is taken up again
//	8.1, 12   memory*.go redact*.go          memory in a state, and what of a state may leave
//	9         cbor.go    jsonld.go
//
// The decisions R1 to R48 and the requirements stand beside the code that follows them.
// Claimed is the document half of every level: what a producer must do, and of a
// consumer to read, check and refuse.
//
// Based on the SC-006 AAIF v3.4.0 standard by Schema Commons, licensed under CC BY 4.0.
package aaif
