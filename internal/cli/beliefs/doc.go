// Package beliefs holds the commands about who you are to assistants: passport, belief,
// corrections, constraint, context, and the client of a store of Engram.
package beliefs
