// Package vaulttest opens vaults over fresh stores, and holds what the tests of the
// kernel and of the packages above it share.
package vaulttest
