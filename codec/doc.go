// Package codec says what a format of memory is: how its documents are told
// apart, read, checked and written, what may be lost on the way, and how what
// has no home in the model travels on as residue.
//
// Readers work in the manner of archive/tar: Open settles everything that
// concerns the document as a whole, then Next yields one checked record after
// the other in bounded memory.
package codec
