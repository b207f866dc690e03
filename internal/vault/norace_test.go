//go:build !race

package vault_test

// underRace says that the race detector is at work.
const underRace = false
