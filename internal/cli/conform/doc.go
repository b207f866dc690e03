// Package conform holds the commands of satchel conformance, which test whether a server
// or a runtime follows UMP, AIMEM, Engram or AAIF.
package conform
