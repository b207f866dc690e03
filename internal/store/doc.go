// Package store defines what a store of memories must do. Every row belongs to one owner,
// and no call reaches across owners. The stores are subpackages, and all pass the suite of
// storetest.
//
// A record is stored as the JSON that its author signed (Origin), the JSON of its present
// form if the engine has changed it (Current), and the columns for searches. Columns only
// find rows; the decoder of the JSON decides what a row means.
package store
