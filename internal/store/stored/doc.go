// Package stored defines how values are stored in every store: times, seals, the terms of a
// record, the entries of the index, and the list of tables. The stores share it, so that a
// row can move from one to another with its seal.
package stored
