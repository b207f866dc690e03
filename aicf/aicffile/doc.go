// Package aicffile keeps context files on a disk: it reads them as they were at one
// moment, appends to them beside other programs that do, and puts new ones in the place
// of old ones wholly or not at all.
//
//	core syntax, file extension    read.go pack.go
//	implementation, writer         append.go write.go lock.go     decisions
//	security, access control       modes in write.go, log.go      decision A-30
//	split layout                   split.go
//
// # Locks
//
// Whoever changes X.aicf first makes X.aicf.lock, which must not exist, with one line in
// it: the number of its process, its machine and the time, and before it appends how long
// the file is, so that whoever comes after an interruption knows what to take back. The
// lock of a process that is gone, or that is older than half a minute, may be taken away.
// As a second wall the file itself is locked by means of the operating system. Readers
// lock nothing.
package aicffile
