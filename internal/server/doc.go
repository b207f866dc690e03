// Package server puts the bindings together into the one process that answers
// on one port: who is asking, from where, how often and how much, is settled
// here, before any binding or the vault is reached.
//
//	/ump/*, /.well-known/ump.json   umphttp
//	/.well-known/ump/*              umphttp: public memories, where they are served
//	/mcp                            umpmcp, streamable HTTP
//	/v1/brain, /v1/brain/*, …       aimemhttp (brain.go)
//	/v1/context, /v1/context/*, …   engramhttp (context.go)
//	/aaif/*, /.well-known/aaif-*    aaifhttp, where somebody keeps agents (agents.go)
//	/healthz, /readyz               whether the process, and the store, answer
//	/metrics                        counts for Prometheus (exposition.go)
//	/                               what this is
//
// A connection is one of so many (connections.go) and may be encrypted (serve.go).
// A request passes, in this order: number, count, log, deadlines and recovery
// (observe.go); the headers of every answer (secure.go); Host, Origin and path
// (guard.go); who asks (token.go); how often (limit.go).
package server
