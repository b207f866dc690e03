// Package aaifhttp serves AAIF over HTTP, and is a client of other platforms (SC-006,
// draft-schemacommons-aaif-00). It serves the manifest and the conformance report, accepts
// definitions, and receives states and handoffs of runs from other platforms.
//
//	section  route                                                 file
//	7        GET  /.well-known/aaif-manifest.json       public     wellknown.go
//	6        GET  /.well-known/aaif-conformance.json    public     wellknown.go
//	7        POST /aaif/agents                                     intake.go
//	4, 9     GET  /aaif/agents, /aaif/agents/{id}                  agents.go, media.go
//	8.2      POST /aaif/states                          TLS        states.go
//	8.1      GET  /aaif/states, /aaif/states/{id} (TLS)            states.go
//	8.3      POST /aaif/handoff                         TLS        handoff.go
//	4        POST /aaif/agents/{id}/runs                           runs_start.go
//	4, 8     GET  /aaif/runs, /aaif/runs/{id}, and below it        runs.go, runs_*.go
//	8.2      POST /aaif/states/{id}/resume                         runs_change.go
//	         errors                                                problem.go
//	7, 8     the client                                            client*.go
//
// The binding authenticates the caller before it reads a byte of a body. Sending definitions
// and reading need the owner's bearer token. A state comes from another platform, which has
// no such token: its migration token admits it. The binding verifies the token, the checksum
// and the binding of the two before it keeps any of a state. States travel over TLS only; an
// unencrypted request is refused unread.
package aaifhttp
