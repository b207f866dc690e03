// Package aimem is the room of the AIMEM Bundle Format, version "1"
// (draft-vu-aimem-bundle-00, 14 June 2026): conformance level 3, Bidirectional.
// It needs no store and no network.
//
//	section       files                                         vectors
//	2, 2.1        wire.go, open.go, envelope.go                 testdata/envelope
//	2.2 – 2.6     wire.go, check.go, references.go              testdata/records
//	2.7           embedding.go                                  testdata/embedding
//	2.8           checksum.go                                   testdata/checksum
//	2.9           report.go (the vault applies the rules)
//	3, 3.1        stream.go, encode.go; aimemhttp               testdata/stream
//	3.2           fault.go, report.go; aimemhttp
//	5.3           sign.go, verify.go, key.go                    testdata/signed
//	mapping       memory.go and memory_*.go, format.go          testdata/mapping
//
// What the text leaves open is settled by the decisions AD-1 to AD-31, whose ids
// stand beside the code that follows them.
package aimem
