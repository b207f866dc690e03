// Package audit is a log of who did what that shows tampering. It holds no
// content and no name that somebody could guess: records and projects appear as
// keyed HMACs. Only the holder of the owner's key can tell whether two entries
// are about the same one.
//
//	entry.go   what an entry says; json.go its stored form
//	mark.go    HMACs instead of names
//	log.go     appending
//	head.go    the signed head, a C2SP signed note
//	verify.go  finding edits, deletions, reordering and truncation; align.go, tree.go, source.go
//
// # Layout
//
// An entry is canonical JSON (RFC 8785). Entry n is leaf n of the Merkle tree of
// RFC 6962. The hashes of its complete subtrees are kept in the order of
// golang.org/x/mod/sumdb/tlog: the hash of leaf n, then those of the subtrees
// that the leaf completes, smallest first. The head is
//
//	satchel audit log of <DID of the owner>
//	<number of entries>
//	<root hash, base64>
//	<time of the last entry, RFC 3339>
//
//	— <DID of the owner> <signature, base64>
//
// A process that appends and holds the owner's key signs it.
//
// # What verification finds
//
// Verification finds every change of what the head covers, because only the
// owner's key can sign another head. The next head covers the entries after this
// one. An anchor, a head that was kept elsewhere, exposes somebody who restores an
// older copy of everything, head included, or who deletes all and begins anew.
package audit
