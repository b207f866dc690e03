package aimem

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossRecord         = "a chunk says less than a record: times but created, scope, confidence, provenance, consent, signature and structured are left out"
	lossForeignCarrier = "the chunk came with a member x_ump of another meaning, and gives its place to ours"
)
