// Package documents holds the commands that read and write documents of memories:
// import, export, convert, diff, inspect, validate, distill, sign and verify.
//
//	document.go    a document that a command reads, and its format
//	target.go      where a command writes a document; leave.go when it may
//	losses.go      what a format cannot hold, told to people and machines
//	judge.go       whether an export of Engram is signed by a key that is trusted
package documents
