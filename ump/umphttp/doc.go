// Package umphttp serves the operations of the Universal Memory Protocol as JSON over
// HTTP. It implements section 4.2 of version 0.1, at level 3 if the service behind it
// is at level 3.
//
//	section  route                                   file
//	3.1      GET  /ump/capabilities        public    handler.go
//	3.2-3.6  POST /ump/recall, remember, revise, forget   handler.go
//	3.4      GET  /ump/memory/{id}                   handler.go
//	3.7      the error envelope and its status       error.go
//	3.8      POST /ump/feedback                      handler.go
//	3.8      GET  /ump/subscribe (SSE)               subscribe.go, stream.go, streams.go
//	4.3      GET  /.well-known/ump.json    public    manifest.go
//	4.3      GET  /.well-known/ump/public.ump.json, public.ndjson  public  public.go
//	UD-24    GET  /ump/export?format=json|ndjson     export.go
//
// Success is always 200, and the body is the answer of [ump.Dispatch] byte for byte,
// so that every binding gives the same answer (UMP-3-3).
package umphttp
