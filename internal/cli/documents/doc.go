// Package documents holds the commands that read and write documents of memories:
// import, export, convert, diff, inspect, validate, distill, sign and verify.
//
//	document.go    a document that a command reads, and its format
//	target.go      where a command writes a document; leave.go when it may
//	losses.go      data that a format cannot hold, reported to people and machines
//	judge.go       whether a trusted key signed an Engram export
package documents
