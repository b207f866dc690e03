// Package engramconform puts the requirements of the Engram Standard to a running
// store, whoever made it, and to a runtime's reader.
package engramconform
