package pam

import (
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/conversation"
)

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossEnvelope   = "who exported it when, and what else the document says as a whole, is not kept with single memories"
	lossSignature  = "the signature proves nothing: it does not fit the document, or is of a kind that is not checked here"
	lossHash       = "content_hash is not that of the content; it is made anew"
	lossBlank      = "a memory without words"
	lossDangling   = "a relation from a memory that is not in the document"
	lossEmbeddings = "embeddings: they are made anew from the texts"
	lossFile       = "a file that is none of a PAM export"
	lossMembers    = "what a conversation says of itself beside texts and numbers"

	lossLeft     = "proposed, forgotten or expired: it is left out"
	lossText     = "a text of blank space alone: nothing to write"
	lossUnread   = "it would not be read again: it is left out"
	lossID       = "the record's own id: the memory has one of its own"
	lossRelation = "a relation between memories is kept beside them when it is read again"
	lossBeside   = "beside the record when it is read again: what the memory says in another way, and what is structured beyond tags"
	lossUnsigned = "the signature of the document that this came in: what it was made for has changed"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: append(codec.ReadLosses(), lossEnvelope, lossSignature, lossHash, lossBlank, lossDangling, lossEmbeddings, lossFile, "… "+branches, "… "+parts, "… "+thoughts, lossMembers, conversation.LostEmpty, conversation.Others),
		Writing: []string{codec.NoPlace, lossLeft, lossText, lossUnread, lossID, lossRelation, lossBeside, lossUnsigned},
	}
}
