// Package aaifhttp is the HTTP binding of AAIF (SC-006, draft-schemacommons-aaif-00):
// what a platform says of itself, where definitions are taken in, and where running
// agents arrive from other platforms; and the client of all that.
//
//	section  route                                                 file
//	7        GET  /.well-known/aaif-manifest.json       public     wellknown.go
//	6        GET  /.well-known/aaif-conformance.json    public     wellknown.go
//	7        POST /aaif/agents                                     intake.go
//	4, 9     GET  /aaif/agents, /aaif/agents/{id}                  agents.go, media.go
//	8.2      POST /aaif/states                          TLS        states.go
//	8.1      GET  /aaif/states, /aaif/states/{id} (TLS)            states.go
//	8.3      POST /aaif/handoff                         TLS        handoff.go
//	         errors                                                problem.go
//	7, 8     the client                                            client*.go
//
// Who asks is settled before a byte of a body is read. Definitions and reading need the
// owner's bearer. A state comes from another platform, which has none: its migration
// token is what lets it in, and nothing of a state is kept before the token, the
// checksum and the binding of the two have been verified. States travel over TLS only:
// what comes in the clear is refused unread.
package aaifhttp
