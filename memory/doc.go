// Package memory defines the data model that all other packages use: a record of memory,
// the questions to a store of memories, and its answers and refusals. It follows the record
// of the Universal Memory Protocol 0.1, section 2, in Go's types. It performs no I/O, reads
// no clock and imports the standard library only.
//
// A [Record] holds the document that its author wrote (Origin, immutable) and the
// document's present form (Current). A package such as ump converts between them.
package memory
