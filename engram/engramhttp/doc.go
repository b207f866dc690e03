// Package engramhttp serves the API of the Engram Standard over HTTP (version 0.1, section
// 3.9). The service behind it is an [engram.Backend].
//
//	section  route                                             file
//	3.9      GET  /v1/context                                  context.go, cache.go, query.go
//	3.9      GET  /v1/context/diff                             diff.go, query.go
//	3.9      POST /v1/context/correct                          correct.go, body.go
//	E-11     GET  /v1/context/corrections            owner     resolve.go
//	E-11     POST /v1/context/corrections/ID/confirm owner     resolve.go
//	E-11     POST /v1/context/corrections/ID/reject  owner     resolve.go
//	3.9      GET  /.well-known/engram                public    wellknown.go
//	3.8      GET  /.well-known/engram-keys           public    wellknown.go
//	12.3     GET  /schema/v0.1.json, v0.1-read.json  public    wellknown.go
//	3.9      errors                                            problem.go
//	3.10     versions in requests                              version.go
//	5        the client's requests                             transport.go
//
// The handler authenticates and authorises the caller before it reads a byte of the body.
// The service decides which part of a memory the caller may have: it narrows a query to
// the scope of the caller's token.
package engramhttp
