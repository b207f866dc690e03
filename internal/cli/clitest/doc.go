// Package clitest is what tests of commands share: a person at a command line, buffers
// for two goroutines, certificates, and signed records.
package clitest
