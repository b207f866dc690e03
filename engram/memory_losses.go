package engram

import (
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// The reasons of losses. docs/mapping.md lists them.
const (
	lossTwice    = "a belief of this id stands before it; an id is one belief's"
	lossDangling = "it concerns a belief that the document does not have"
	lossDeleted  = "the belief is deleted: of what it said nothing is kept, its history included"
	lossUnread   = "the records that a belief carries do not come back as they were: they cannot be read, or the belief, the owner or the signature say otherwise"
	lossUnknown  = "it cannot be kept as it is spelled: a number beyond what a record holds, or nested too deeply"
	lossNative   = "the record says more than a belief: kind, scope, times, salience, relations, provenance, consent, signature or structured are left out"
	lossConsent  = "it may not be exported"
	lossAuthored = "the record as its author signed it is not written, only what it has become"
	lossUnsigned = "the record has a signature and no document that it covers; it is written without"
	lossCarried  = "x_ump of the envelope holds no records of this owner; it is left out"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: []string{lossTwice, lossDangling, lossUnread, lossUnknown, lossCarried},
		Writing: []string{lossTwice, lossDeleted, lossNative, lossConsent, lossAuthored, lossUnsigned},
	}
}

func pointer(name string, i int) string { return canon.Pointer(name, strconv.Itoa(i)) }

// deletedLosses lists the records of a tombstone.
func deletedLosses(l Lineage) []codec.Loss {
	var losses []codec.Loss
	for _, r := range slices.Concat(l.Versions, l.Proposals) {
		losses = append(losses, codec.Loss{ID: r.ID, Reason: lossDeleted})
	}
	return losses
}

// nativeLosses lists the records that say more than a belief can.
func nativeLosses(list []version) []codec.Loss {
	var losses []codec.Loss
	for _, v := range list {
		if v.residue.Type() == canon.TypeUndefined {
			losses = append(losses, codec.Loss{ID: v.ID, Reason: lossNative})
		}
	}
	return losses
}
