// Package audit is a log of who did what, which shows when it was tampered
// with. It holds no content and no name that could be guessed: records and
// projects appear as keyed HMACs, which tell only somebody with the owner's key
// whether two entries are about the same one.
//
//	entry.go   what an entry says; json.go how it is kept
//	mark.go    HMACs instead of names
//	log.go     appending
//	head.go    the signed head, a C2SP signed note
//	verify.go  finding what was edited, taken out, reordered or cut off; align.go, tree.go, source.go
//
// # Layout
//
// An entry is canonical JSON (RFC 8785). Entry n is leaf n of the Merkle tree of
// RFC 6962; the hashes of its complete subtrees are kept in the order of
// golang.org/x/mod/sumdb/tlog: after the hash of leaf n follow those of the
// subtrees that the leaf completes, smallest first. The head is
//
//	satchel audit log of <DID of the owner>
//	<number of entries>
//	<root hash, base64>
//	<time of the last entry, RFC 3339>
//
//	— <DID of the owner> <signature, base64>
//
// and is signed with the owner's key by whoever appends and holds it.
//
// # What is found
//
// Whoever changes what the head covers is found out, since nobody else can sign
// another head. Entries after the head are not covered until the next one is
// signed. Somebody who puts back an older copy of everything, head included, is
// found out by an anchor: a head that was kept elsewhere. So is somebody who
// deletes all and begins anew.
package audit
