// Package openapi reads descriptions of HTTP interfaces in the OpenAPI Specification
// (3.0, 3.1 and what follows in 3) as far as tools of agents need them (AAIF, SC-006
// 3.4.0, section 4.4): which operations there are, and what they ask for as
// authentication. It fetches nothing and follows no references out of a description.
//
//	section 4.4  operations as tools      read.go, offer.go
//	             securitySchemes and auth  auth.go
package openapi
