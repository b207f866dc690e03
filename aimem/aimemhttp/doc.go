// Package aimemhttp exports, imports and erases AIMEM bundles over HTTP. It implements
// section 3 of the AIMEM Bundle Format, version "1", in the role Bidirectional.
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
// The handler authenticates and authorizes the caller before it reads a body. It copies
// the body to a spool, and verifies the whole bundle in bounded memory, whatever its size,
// before it passes the bundle to the service.
package aimemhttp
