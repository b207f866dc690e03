// Package openapi writes what the bindings say of their routes: as a description of
// OpenAPI 3.1, and as pages for people. Both are made from the tables by which requests
// are dispatched.
//
//	document.go    the description
//	operation.go   a route in it
//	components.go  the schemas of the specifications as components, and refusals
//	page.go        the pages
//	shape.go       a schema as rows of a table
package openapi
