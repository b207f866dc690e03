//go:build race

package main

// underRace says that the race detector is at work, which makes a passphrase
// take ten times as long.
const underRace = true
