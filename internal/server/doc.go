// Package server puts the bindings together into the one process that answers
// on one port: who is asking, from where, how often and how much, is settled
// here, before any binding or the vault is reached.
//
//	/ump/*, /.well-known/ump.json   umphttp
//	/mcp                            umpmcp, streamable HTTP
//	/healthz, /readyz               whether the process, and the store, answer
//	/                               what this is
//
// A request passes, in this order: number, log, deadlines and recovery
// (observe.go); Host and Origin (guard.go); who asks (token.go); how often
// (limit.go).
package server
