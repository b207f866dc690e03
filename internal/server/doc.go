// Package server assembles the bindings into one process that answers on one
// port. Before it calls a binding or the vault, it settles who asks, from where,
// how often and how much.
//
//	/ump/*, /.well-known/ump.json   umphttp
//	/.well-known/ump/*              umphttp: public memories, if the server shows them
//	/mcp                            umpmcp, streamable HTTP
//	/v1/brain, /v1/brain/*, …       aimemhttp (bundles.go)
//	/v1/context, /v1/context/*, …   engramhttp (context.go)
//	/aaif/*, /.well-known/aaif-*    aaifhttp, if the server keeps agents (agents.go)
//	/healthz, /readyz               whether the process, and the store, answer
//	/metrics                        counts for Prometheus (exposition.go)
//	/me/*                           pages: the owner's memory in a browser (pages.go)
//	/                               the program's name and version; browsers go to /me/
//
// The number of connections is limited (connections.go), and they may be encrypted
// (serve.go). A request passes, in this order: number, count, log, deadlines and
// recovery (observe.go); the headers of every answer, Host, Origin and path
// (guard.go); who asks (token.go); how often (limit.go).
package server
