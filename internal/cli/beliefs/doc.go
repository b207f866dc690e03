// Package beliefs holds the commands about the owner's identity for assistants: passport,
// belief, corrections, constraint, context, and the client of an Engram store.
package beliefs
