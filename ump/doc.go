// Package ump is the room of the Universal Memory Protocol 0.1 (specification
// page of 2026-06-06): its record as JSON, NDJSON and Markdown, its hash and
// signature, its consent rules, and its six operations as one dispatcher that
// every binding shares. What it offers a server is level 3; which level is in
// force depends on the keys and tokens the server holds (section 7). Records of
// edition 1.0, which have the same shape, are read and kept.
//
//	section         files                                            vectors
//	2, 2.1-2.4      wire.go decode.go decode_types.go instant.go     testdata/record
//	                fill.go check.go memory.go encode.go
//	2.5-2.8         decode_links.go check_links.go                   testdata/record
//	2.7             path.go redact.go redact_cut.go                  testdata/path
//	                redact_copies.go redact_find.go                  testdata/redact
//	                shell.go, memory/duration.go                     testdata/duration
//	2.8, 6.1, 6.2   sign.go verify.go id.go author.go                testdata/signed
//	3               ops.go request.go response.go schema.go schema/  ops_test.go
//	3.3             null.go                                          null_test.go
//	3.3 (merging)   duplicate.go                                     redact_test.go
//	3.7             fault.go findings.go                             ops_test.go
//	3.8             event.go                                         event_test.go
//	4.3             format.go reader.go writer.go                    file_test.go
//	5.1             check.go verify.go                               testdata/did
//	5.2             token.go token_read.go token_fault.go            testdata/token
//	5.3             frame.go frame_admit.go frame_page.go            testdata/injection
//	                codec/quote.go
//	6.3             markdown.go folder.go frontmatter.go yaml.go     testdata/markdown
//	                filename.go
//
// A record is a tree of JSON (canon.Value) on its way through this package, so
// that unknown members, the order of members and the spelling of numbers and
// times survive: they are inside the hash. memory.Record is what the tree says;
// a changed memory.Record is put back into the tree by the lens of package codec.
//
// Some of it is for programs that use the library, and Satchel itself does
// without: BirthID and IsBirthID to look into an id, RandomID for ids of level 1,
// Violations for all that is wrong with one record, the spellings of Duration and
// Path.
package ump
