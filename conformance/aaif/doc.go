// Package aaifsuite puts the requirements of AAIF (SC-006 3.4) to anybody's documents
// and to a running platform, row by row. What can be tried depends on what a run is
// given: without a key that the platform trusts, no state is sent, and the rows about
// states are not tried.
//
//	6, 7      manifest and report           discover.go
//	7, 12     definitions, valid and not    intake.go signatures.go
//	7         capabilities, by safety       capabilities.go
//	9         the same in CBOR              encoding.go
//	8.2, 12   states in one document        migrate.go token.go
//	8.3, 13   states as streams             stream.go flow.go
//	12        states in the clear           plain.go
//	6         what is claimed, and true?    levels.go
//	4-10      documents and streams         documents.go document_rows.go
//
// A run leaves an agent behind, and the states that were taken in: AAIF has no way to
// take either back. They are named in the end. What is refused must leave nothing, which
// is looked for where the platform lists what it keeps.
package aaifsuite
