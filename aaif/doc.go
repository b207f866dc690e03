// Package aaif reads, checks and writes the documents of the Autonomous Agent Interchange
// Format (draft-schemacommons-aaif-00, 25 June 2026, with the schemas of edition 3.4.0).
// The documents are definitions of agents, checkpoints of their runs, manifests and
// conformance reports of platforms, and registries. The package needs no model, no store
// and no network, and it runs no agent.
//
// A document is a tree that keeps its whole source, including unknown members, extensions
// and the spelling of numbers. The types are views of such a tree, with the defaults filled
// in. Writing changes only the members that differ.
//
//	2, 4, 9   document.go read.go            tells the kinds apart, reads within limits, as JSON or CBOR
//	4, 5      agent*.go words.go             definitions: [Definition]
//	8.1       state.go                       checkpoints, and what may follow a status: [State], [Transition]
//	7         manifest.go offer*.go          platform manifests: [Manifest], and [NewManifest] to make one
//	7         negotiate*.go capability.go    compares a definition with a manifest: [Negotiate]
//	6         report.go evidence.go corpus.go   conformance reports: [Report], [NewReport], [Validator.RunCorpus]
//	10        registry*.go registry/         registries, as data: [StandardRegistries]
//	          fields*.go                     maps trees to types and back
//	4–10      validate*.go violation.go schema/   JSON Schemas: [Schema], [Validator.Validate]
//	4–8       lint*.go                       rules beyond the schemas: [Validator.Lint]
//	6         level*.go                      conformance levels: [Duties], [ConsumerLevels], [Validator.Produced]
//	          alarm*.go weaken.go            changes that a person must not overlook: [Change.Alarm], [Weakenings]
//	12        sign.go    8.1 checksum.go     [Sign], [Verify], [Attest], [Checksum]
//	8.2       token*.go principal.go         migration tokens: [IssueToken], [VerifyToken], [Principal]
//	8.1       restore.go truncate.go         continues a run: [Reissue], [CallMessages], [Truncate]
//	8.1       memory*.go                     memory in a state: [Snapshot], [State.Memories], [MemoryLosses]
//	9         cbor.go    jsonld.go           [ToCBOR], [ToJSONLD]
//
// Package privacy finds credentials and personal data, and masks them before a state
// leaves. Decisions (R1 to R48) and requirements stand beside the code that follows them.
// The package implements the document half of every level: what a producer must do, and
// how a consumer reads, checks and refuses.
//
// Based on the SC-006 AAIF v3.4.0 standard by Schema Commons, licensed under CC BY 4.0.
package aaif
