// Package aimemhttp is the HTTP profile of the AIMEM Bundle Format, version "1"
// (section 3), in the role Bidirectional.
//
//	section  route                                        file
//	3.1      GET  /v1/brain/export                        export.go, query.go
//	3.1      GET  /v1/brain/export/stream                 export.go, query.go
//	3.2      POST /v1/brain/import                        import.go, body.go, media.go
//	5.2      DELETE /v1/brain?confirm=TENANT              erase.go
//	5.3      GET  /.well-known/aimem-pubkey     public    wellknown.go
//	         GET  /.well-known/aimem-spec       public    wellknown.go
//	3.2      problem details                              problem.go
//
// Who asks and what they may do is settled before a byte of a body is read. A
// body goes to a spool of the caller's, so that a bundle of any size is verified
// as a whole, in bounded memory, before the service is asked to take it in.
package aimemhttp
