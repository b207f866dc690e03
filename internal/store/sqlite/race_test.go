//go:build race

package sqlite

// racing says that the race detector is at work, which makes SQLite, being Go here,
// twenty times slower.
const racing = true
