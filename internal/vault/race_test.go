//go:build race

package vault_test

// underRace says that the race detector is at work, which makes the embedded store, all
// of it Go, ten times as slow.
const underRace = true
