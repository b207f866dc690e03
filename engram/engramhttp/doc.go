// Package engramhttp carries the API of the Engram Standard over HTTP (section 3.9):
// context, diff, corrections, discovery and the list of keys. The service behind it
// is an [engram.Backend].
package engramhttp
