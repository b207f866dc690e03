// Package engramsuite puts the requirements of the Engram Standard, version 0.1, to
// a running store, whoever made it: [Run] asks over HTTP what the standard asks of
// whoever serves a context, says of every requirement whether it is kept, and which
// tier runtimes find there.
//
//	section       file
//	3.1-3.7       envelope.go, scopes.go
//	3.8           signature.go
//	3.9           access.go, errors.go, refusals.go, correct.go, diff.go, discover.go
//	3.4-3.6, 3.9  hands.go and hands_*.go: what takes acts of the owner
//	6             tiers.go
//	              absent.go: what cannot be seen over HTTP
//
// target.go and run.go are the run itself, client.go its requests, observe.go what every answer says.
//
// A run proposes one correction, which waits for the owner. Where it is given the
// owner's hands it states beliefs of its own and deletes them in the end.
package engramsuite
