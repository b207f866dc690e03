// Package memory is the model every other package speaks: what one memory is,
// what may be asked of a store of memories, and how an answer or a refusal
// looks. It follows the record of the Universal Memory Protocol 0.1, section 2,
// in Go's types; it performs no I/O, reads no clock and imports nothing but the
// standard library.
//
// A [Record] is both the document its author wrote (its origin, immutable) and
// what has become of it since (its current form). A room such as ump turns the
// one into the other.
package memory
