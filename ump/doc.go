// Package ump reads, writes, signs and verifies records of the Universal Memory
// Protocol, and dispatches its operations to a service. It implements version 0.1
// (specification page of 2026-06-06): records as JSON, NDJSON and Markdown, hash and
// signature, consent, and the six operations, for all bindings. A server can reach
// level 3 with it; the level in force depends on the server's keys and tokens
// (section 7). Records of edition 1.0 have the same shape; the package reads and
// keeps them.
//
//	section         files                                            vectors
//	2, 2.1-2.4      wire.go decode.go decode_types.go instant.go     testdata/record
//	                fill.go check.go memory.go encode.go
//	2.5-2.8         decode_links.go check_links.go                   testdata/record
//	2.7             path.go redact.go redact_cut.go                  testdata/path
//	                redact_copies.go redact_find.go                  testdata/redact
//	                shell.go, memory/duration.go                     testdata/duration
//	2.8, 6.1, 6.2   sign.go verify.go id.go author.go                testdata/signed
//	3               ops.go request.go request_spelling.go            ops_test.go
//	                request_known.go response.go schema.go schema/
//	3.3             null.go                                          null_test.go
//	3.3 (merging)   duplicate.go                                     redact_test.go
//	3.7             fault.go findings.go                             ops_test.go
//	3.8             response.go                                      event_test.go
//	4.3             format.go reader.go writer.go                    file_test.go
//	5.1             check.go verify.go                               testdata/did
//	5.2             token.go token_read.go token_fault.go            testdata/token
//	5.3             frame.go frame_admit.go frame_page.go            testdata/injection
//	                codec/quote.go
//	6.3             markdown.go folder.go frontmatter.go yaml.go     testdata/markdown
//	                filename.go
//
// This package handles a record as a tree of JSON (canon.Value). So unknown members,
// the order of members and the spelling of numbers and times survive: the hash covers
// them. A memory.Record holds the values of the tree; codec.Reconcile writes a changed
// memory.Record back into the tree.
//
// Some functions are for programs that use the library; Satchel does not call them:
// BirthID checks how an id was derived, RandomID makes ids of level 1, and ParsePath
// reads a redaction path, whose String writes it in one spelling.
package ump
