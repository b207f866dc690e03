package aimem

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossRecord         = "a chunk says less than a record: times but created, scope, confidence, provenance, consent, signature and structured are left out"
	lossForeignCarrier = "the chunk came with a member x_ump of another meaning, which gives its place to ours"
	lossEmbedding      = "the record is restored as its author spelled it and cannot take the embedding of its chunk"
	lossMember         = "the record is restored as its author spelled it and cannot take a member that was added to its chunk"
	lossUnread         = "the record that a chunk carries does not come back as it was: it cannot be read, or the chunk, the owner or the signature say otherwise"
	lossCarried        = "no valid record of this owner; it is left out"
	lossAuthored       = "the record as its author signed it is not written, only what it has become"
	lossExported       = "when the bundle was made is not kept: its records say everything else"
	lossAbsent         = "a stream has all four arrays: those that the bundle did not have come back empty"
	lossManifest       = "the manifest does not fit the records any more; edges, entities and links follow it as far as it goes"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: []string{lossRecord, lossForeignCarrier, lossEmbedding, lossMember, lossUnread, lossCarried, lossExported},
		Writing: []string{lossAuthored, lossAbsent, lossManifest},
	}
}
