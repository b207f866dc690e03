// Package engramsuite tests any running store against the requirements of the Engram
// Standard, version 0.1. [Run] tests over HTTP the duties of a server of contexts. It
// reports for every requirement whether the store keeps it, and which tier the store offers
// to runtimes.
//
//	section       file
//	3.1-3.7       envelope.go, scopes.go
//	3.8           signature.go
//	3.9           access.go, errors.go, refusals.go, correct.go, diff.go, discover.go
//	3.4-3.6, 3.9  hands.go and hands_*.go: rows that need acts of the owner
//	6             tiers.go
//	              absent.go: rows that HTTP does not show
//
// target.go and run.go are the run itself, client.go its requests, observe.go the evidence
// of all answers.
//
// A run proposes one correction, which waits for the owner. With the owner's hands it states
// beliefs of its own and deletes them at the end.
package engramsuite
