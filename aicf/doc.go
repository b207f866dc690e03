// Package aicf reads, checks, migrates and writes context files of the AI Context Format,
// version 3.1 (2025-10-06): files of numbered lines. It reads every known dialect and writes
// one. It needs no store, no clock and no network, and opens no files (see aicffile).
//
// Reading has two steps. [Parse] finds lines and sections and keeps every byte, without
// meaning: a [File] finds a section at once, however large it is. [Read] adds meaning:
// [Contents] holds the entries in the order of the file, each with its lines, so that
// unchanged entries are written byte for byte.
//
//	core syntax            scan.go file.go section.go escape.go stream.go: [Parse], [Scanner]
//	sections               wire.go words.go read_*.go parts.go: [Read], [ReadSection], [Parts]
//	encoding rules         escape.go value.go: [Escape], [Unescape], [SplitList], [JoinList]
//	references, search     contents*.go search.go: [Index], [MergeState], [Contents.Nearest]
//	consolidation          consolidate.go: [Index.Deduplicate]
//	validation rules       check*.go finding.go: [Check], [CheckTogether], [Validate]
//	version management     version.go dialect*.go migrate*.go: [Detect], [Migrate]
//	writing                write*.go append.go: [Encode], [Continue]
//	security               redact*.go: [Redactor]
//	mapping to records     package aicf/mapping
//
// Decisions settle what the text leaves open; their ids stand beside the code
// that follows them.
package aicf
