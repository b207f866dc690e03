// Package openapi reads the parts of OpenAPI descriptions (3.0, 3.1 and later editions of 3)
// that agents' tools need (AAIF, SC-006 3.4.0, section 4.4): operations, and the
// authentication they require. It fetches nothing, and follows no references out of a
// description.
//
//	section 4.4  operations as tools      read.go, offer.go
//	             securitySchemes and auth  auth.go
//	             arguments, servers        arguments.go
package openapi
