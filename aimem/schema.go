package aimem

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed schema/http.json
var schemas []byte

// Schemas returns the JSON Schemas of everything that the HTTP profile exchanges (section
// 3), by name. They refer to each other as #/components/schemas/NAME, as a description of
// OpenAPI has them.
func Schemas() map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(schemas, &all); err != nil {
		panic(fmt.Sprintf("aimem: embedded schema: %v", err)) // impossible: the file is in the program
	}
	return all
}

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
