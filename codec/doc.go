// Package codec defines what a memory format is: how Satchel recognises, reads, validates
// and writes its documents. It also defines losses, which say what a conversion cannot
// keep, and residue, the data of one format that travels inside records of another.
//
// Readers work like archive/tar: Open checks the document as a whole, then Next yields one
// checked record after the other in bounded memory.
package codec
