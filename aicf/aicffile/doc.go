// Package aicffile keeps context files on a disk. It reads a file as it was at one
// moment, appends to it while other programs do the same, and replaces all of a file
// or nothing.
//
//	core syntax, file extension    read.go pack.go
//	implementation, writer         append.go write.go lock.go     decisions
//	security, access control       modes in write.go, log.go      decision A-30
//	split layout                   split.go
//
// # Locks
//
// A program that changes X.aicf first makes X.aicf.lock, which must not exist. The
// lock has one line: process number, machine and time. Before an append it also holds
// the length of the file, so that the next program can undo an interrupted append.
// Another program may remove the lock of a process that has ended, or a lock older
// than half a minute. As a second wall the operating system locks the file itself.
// Readers lock nothing.
package aicffile
