// Package engramruntime puts the requirements of the Engram Standard, version 0.1, to
// a runtime, whoever made it: [Run] plays a store on this machine that does one thing
// after another, starts the runtime once for each, and says of every requirement
// whether it is kept. Package engramsuite does so with stores.
//
//	section          file
//	5, 3.4-14, 3.9   start.go: what the smallest runtime does
//	3.2, 3.4, 3.7    envelope.go
//	3.8, 12.6        signature.go, keys.go
//	3.10             versions.go
//	6                levels.go, further.go: what Writer and Full do besides
//	                 absent.go: what a runtime that prints a prompt cannot show
//
// target.go and run.go are the run itself, store.go is the store that is played,
// sample.go what it hands out, said.go judges what the runtime made of it.
//
// The runtime is called with the address of a store and a token. It gives the system
// prompt that it would use, or fails and gives nothing of the context.
package engramruntime
