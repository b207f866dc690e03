// Package store says what a place that keeps memories must do. Every row
// belongs to one owner, and no call reaches across owners. The stores
// themselves live in subpackages and all pass the one suite of storetest.
//
// A record is kept as the JSON its author signed (origin), the JSON of its
// present form once the engine has changed it (current), and the columns that
// are searched. Columns only find rows; what a row means is decided by whoever
// decodes its JSON.
package store
