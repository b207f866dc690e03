// Package stored says how values lie in every store: times, seals, the terms of
// a record, the entries of the index, and which tables there are. The stores
// share it, so that a row can be carried from one to another with its seal.
package stored
