// Package aimem reads, writes, signs and verifies AIMEM bundles, and converts them to
// records and back. It implements the AIMEM Bundle Format, version "1"
// (draft-vu-aimem-bundle-00, 14 June 2026), at conformance level 3, Bidirectional. It
// needs no store and no network.
//
//	section       files                                         vectors
//	2             open.go, document.go, single.go               testdata/json
//	2.1           wire.go, envelope.go, envelope_arrays.go      testdata/envelope
//	2.2 – 2.6     wire.go, check.go, check_graph.go,            testdata/records
//	              references.go
//	2.3           namespace.go
//	2.7           embedding.go                                  testdata/embedding
//	2.8           checksum.go, open_checksum.go,                testdata/checksum
//	              checksum_python.go
//	2.9           report.go (the vault applies the rules)
//	3, 3.1        lines.go, stream_out.go, encode.go,           testdata/stream
//	              spool.go; aimemhttp
//	3.2           fault.go, report.go; aimemhttp
//	5.3           sign.go, verify_signature.go, key.go,         testdata/signed
//	              carry_signature.go
//	mapping       mapper.go, memory_*.go, manifest.go,          map_*_test.go
//	              carrier.go, format.go and format_*.go
//
// The decisions AD-1 to AD-31 settle the questions that the specification leaves open.
// Their ids are beside the code that follows them.
package aimem
