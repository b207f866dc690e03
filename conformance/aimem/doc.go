// Package aimemsuite tests a running server over HTTP against the requirements of the AIMEM
// Bundle Format, version "1". [Run] tests any endpoint for the duties of a Bidirectional
// implementation, and reports for every requirement whether the server keeps it.
//
//	section    file
//	0, 3, 3.1  http.go, exports.go, streams.go
//	2, 2.1     envelope.go
//	2.2, 2.3   chunks.go
//	2.4-2.6    graph.go
//	2.7        embedding.go
//	2.8        checksum.go
//	2.9, 5.4   again.go
//	3.2, 6, 7  imports.go
//	4          levels.go
//	5.2        erase.go
//	5.3        signature.go
//	           absent.go: rows that HTTP does not show
//
// target.go and run.go are the run itself, client.go its requests, sample.go and variant.go
// its bundles.
//
// A run imports chunks under a namespace of its own. The format cannot remove single chunks.
// The chunks of a run therefore stay, unless the run may erase everything that the token's
// owner has.
package aimemsuite
