// Package aicf is the room of the AI Context Format, version 3.1 (2025-10-06): context
// files of numbered lines, read in every dialect that is about and written in one. It
// needs no store, no clock and no network, and opens no files (see aicffile).
//
// Reading goes in two steps. [Parse] finds lines and sections, keeps every byte, and
// gives none a meaning: a [File] answers what stands where at once, however large it is.
// [Read] gives meaning: [Contents] holds entries in the order of the file, each with the
// lines it was read from, so that what nobody changed is written again byte for byte.
//
//	core syntax            scan.go file.go section.go escape.go
//	sections               wire.go words.go read_*.go
//	encoding rules         escape.go value.go
//	references, search     contents*.go search.go
//	consolidation          consolidate.go
//	validation rules       check*.go finding.go
//	version management     version.go dialect*.go migrate*.go
//	writing                write*.go
//	security               redact*.go
//	mapping                memory_*.go format*.go
//
// What the text leaves open is settled by the decisions, whose ids stand
// beside the code that follows them.
package aicf
