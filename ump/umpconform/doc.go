// Package umpconform puts the requirements of the Universal Memory Protocol 0.1
// to a running server, over HTTP. [Run] asks of any endpoint what section 7
// asks of a level, and says of every requirement whether it is kept.
//
//	section   file
//	0, 1      preamble.go        3.4       get.go           5.1  identity.go
//	2         record.go          3.5       revise.go        5.2  tokens.go
//	2.1, 2.2  scope.go           3.6       forget.go        5.3  frame.go
//	2.3       validity.go        3.7       errors.go        6.1  canonical.go
//	2.4-2.6   hints.go           3.8       full.go          6.2  ids.go
//	2.7       consent.go         4, 4.2    http.go          6.3  markdown.go
//	2.8       integrity.go       4.3       files.go         7, 8 levels.go
//	3, 3.1    capabilities.go    absent.go: what cannot be seen over HTTP
//	3.2       recall.go          target.go, run.go: the run itself
//	3.3       remember.go        client.go, observe.go: requests, and what every answer must keep
//
// A run writes memories of its own, into a project of its own, and forgets them
// when it is done.
package umpconform
