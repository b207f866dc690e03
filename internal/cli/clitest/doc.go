// Package clitest holds what tests of commands share: a user at a command line, buffers for
// two goroutines, certificates, and signed records.
package clitest
