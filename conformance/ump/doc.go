// Package umpsuite tests a running server over HTTP against the requirements of the
// Universal Memory Protocol 0.1. [Run] tests any endpoint for the demands of section 7 on a
// level, and reports for every requirement whether the server keeps it.
//
//	section   file
//	0, 1      preamble.go               3.6       forget.go
//	2         record.go                 3.7       errors.go
//	2.1, 2.2  scope.go                  3.8       full.go, subscribe.go, followed.go
//	2.3       validity.go               4, 4.2    http.go
//	2.4-2.6   hints.go                  4.3       files.go
//	2.7       consent.go, redacted.go   5.1       identity.go
//	2.8       integrity.go              5.2       tokens.go
//	3, 3.1    capabilities.go           5.3       frame.go
//	3.2       recall.go                 6.1, 6.2  canonical.go, ids.go
//	3.3       remember.go               6.3       markdown.go
//	3.4       get.go                    7, 8      levels.go
//	3.5       revise.go                 absent.go: rows that HTTP does not show
//
// target.go, run.go and credentials.go are the run itself, and client.go and stream.go its
// requests. observe.go and observe_record.go check the rules for every answer. fixtures.go,
// write.go, export.go, sign.go and forge.go hold the parts that rows share.
//
// A run writes memories of its own into a project of its own, and forgets them at the end.
package umpsuite
