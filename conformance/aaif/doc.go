// Package aaifsuite tests documents and running platforms against the requirements of AAIF
// (SC-006 3.4), row by row. The inputs of a run decide which rows it can try. Without a key
// that the platform trusts, the run sends no state and does not try the rows about states.
//
//	6, 7      manifest and report           discover.go
//	7, 12     definitions, valid and not    intake.go signatures.go
//	7         capabilities, by safety       capabilities.go
//	9         the same in CBOR              encoding.go
//	8.2, 12   states in one document        migrate.go token.go
//	8.3, 13   states as streams             stream.go flow.go
//	12        states in the clear           plain.go
//	4, 8-10   agents that run             running.go bounds.go approval.go restored.go perform.go world.go
//	6         the claims of the platform    levels.go
//	4-10      documents and streams         documents.go document_rows.go
//
// For rows about agents that run, the suite plays the model and the tools itself, on this
// machine. The operator of the platform has to let the agent [Runner] use them; a run says
// what is missing.
//
// A run leaves behind agents, runs and the accepted states, because AAIF has no way to remove
// them; the summary names them. A refused document must leave nothing. The run verifies this
// if the platform lists its documents.
package aaifsuite
