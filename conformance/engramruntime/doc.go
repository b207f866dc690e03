// Package engramruntime tests any runtime against the requirements of the Engram Standard,
// version 0.1. [Run] plays a store on this machine that behaves in one way after another. It
// starts the runtime once for each behaviour, and reports for every requirement whether the
// runtime keeps it. Package engramsuite tests stores.
//
//	section          file
//	5, 3.4-14, 3.9   start.go: the duties of the smallest runtime
//	3.2, 3.4, 3.7    envelope.go
//	3.8, 12.6        signature.go, keys.go
//	3.10             versions.go
//	6                levels.go, further.go: the further duties of Writer and Full
//	                 absent.go: rows that a printed prompt does not show
//
// target.go and run.go are the run itself. store.go is the played store, sample.go its
// contexts and keys, and said.go judges the runtime's prompt.
//
// The run calls the runtime with the address of a store and a token. The runtime returns the
// system prompt that it would use, or fails and returns nothing of the context.
package engramruntime
