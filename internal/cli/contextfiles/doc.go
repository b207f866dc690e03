// Package contextfiles holds the commands of satchel aicf, which work with context
// files: append, get, search, consolidate, migrate, split, join, seal and open.
package contextfiles
