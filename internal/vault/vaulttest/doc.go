// Package vaulttest opens vaults over fresh stores, and holds helpers for the tests of
// the kernel and of the packages above it.
package vaulttest
