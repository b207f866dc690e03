package aimem

import (
	_ "embed"
	"slices"
)

//go:embed schema/http.json
var schemas []byte

// Schemas returns an object with the JSON Schemas of everything that the HTTP profile
// exchanges (section 3), by name. They refer to each other as #/components/schemas/NAME,
// as a description of OpenAPI has them.
func Schemas() []byte { return slices.Clone(schemas) }

// Codes returns the codes of refused documents and requests.
func Codes() []Code {
	return []Code{
		UnsupportedMediaType, BodyTooLarge, NotJSON, NotObject, BadFormat, UnsupportedVersion, MissingField, InvalidType, InvalidProducer, InvalidTenantID,
		InvalidTimestamp, InvalidScope, SinceMissing, MissingChecksum, ChecksumMismatch, SignatureRequired, SignatureInvalid, SignatureUntrusted,
		InvalidURN, ProducerMismatch, EmptyContent, ContentTooLong, BadHashFormat, HashMismatch, InvalidMemoryType, InvalidZone, InvalidTag, DuplicateChunkID,
		EmbeddingEnvelopeMissing, EmbeddingDimMismatch, BadEmbedding, InvalidEdgeType, EdgeWeightOutOfRange, EmptyEntityName, InvalidEntityKind, DuplicateEntityID,
		EdgeSourceUnknown, EdgeTargetUnknown, LinkChunkUnknown, LinkEntityUnknown,
		MissingScope, Unauthenticated, SinceRequired, BadSince, EmbeddingConsentRequired, ConfirmationRequired,
	}
}
