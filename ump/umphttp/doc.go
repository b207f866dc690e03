// Package umphttp is the HTTP binding of the Universal Memory Protocol 0.1,
// section 4.2: the operations of section 3 as JSON over HTTP, at level 3 where
// the service behind it is.
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
// Success is always 200, and a body is what [ump.Dispatch] says, byte for byte,
// so that every binding tells the same (UMP-3-3).
package umphttp
