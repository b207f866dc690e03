package aimem

import (
	"errors"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Code names a violation in a bundle, a request or a chunk (decision AD-18).
type Code string

// The codes of a refused document, in the order in which AD-3 looks for them.
const (
	UnsupportedMediaType Code = "unsupported_media_type"
	BodyTooLarge         Code = "body_too_large"

	NotJSON   Code = "not_json"
	NotObject Code = "not_object"

	BadFormat          Code = "bad_format"
	UnsupportedVersion Code = "unsupported_version"
	MissingField       Code = "missing_field"
	InvalidType        Code = "invalid_type"
	InvalidProducer    Code = "invalid_producer"
	InvalidTenantID    Code = "invalid_tenant_id"
	InvalidTimestamp   Code = "invalid_timestamp"
	InvalidScope       Code = "invalid_scope"
	SinceMissing       Code = "since_missing"
	MissingChecksum    Code = "missing_checksum"

	ChecksumMismatch Code = "checksum_mismatch"

	SignatureRequired  Code = "signature_required"
	SignatureInvalid   Code = "signature_invalid"
	SignatureUntrusted Code = "signature_untrusted"

	InvalidURN               Code = "invalid_urn"
	ProducerMismatch         Code = "producer_mismatch"
	EmptyContent             Code = "empty_content"
	ContentTooLong           Code = "content_too_long"
	BadHashFormat            Code = "bad_hash_format"
	HashMismatch             Code = "hash_mismatch"
	InvalidMemoryType        Code = "invalid_memory_type"
	InvalidZone              Code = "invalid_zone"
	InvalidTag               Code = "invalid_tag"
	DuplicateChunkID         Code = "duplicate_chunk_id"
	EmbeddingEnvelopeMissing Code = "embedding_envelope_missing"
	EmbeddingDimMismatch     Code = "embedding_dim_mismatch"
	BadEmbedding             Code = "bad_embedding"
	InvalidEdgeType          Code = "invalid_edge_type"
	EdgeWeightOutOfRange     Code = "edge_weight_out_of_range"
	EmptyEntityName          Code = "empty_entity_name"
	InvalidEntityKind        Code = "invalid_entity_kind"
	DuplicateEntityID        Code = "duplicate_entity_id"

	EdgeSourceUnknown Code = "edge_source_unknown"
	EdgeTargetUnknown Code = "edge_target_unknown"
	LinkChunkUnknown  Code = "ce_chunk_unknown"
	LinkEntityUnknown Code = "ce_entity_unknown"
)

// The codes of a refused request.
const (
	MissingScope             Code = "missing_scope" // the credentials do not grant it: 403
	Unauthenticated          Code = "unauthenticated"
	SinceRequired            Code = "since_required"
	BadSince                 Code = "bad_since"
	EmbeddingConsentRequired Code = "embedding_consent_required"
	ConfirmationRequired     Code = "confirmation_required"
)

// The codes of a chunk that was left out, of an import that went well (decisions
// AD-16 and AD-29).
const (
	ContentConflict Code = "content_conflict"
	FieldConflict   Code = "field_conflict"
	NewerCreatedAt  Code = "newer_created_at"
	OlderCreatedAt  Code = "older_created_at"
	DeletedByUser   Code = "deleted_by_user"
)

// The codes of warnings.
const (
	WarnLegacyFormat    Code = "legacy_format"
	WarnTenantMismatch  Code = "tenant_mismatch"
	WarnSharedID        Code = "shared_id"
	WarnDuplicateEdge   Code = "duplicate_edge"
	WarnEdgeSkipped     Code = "edge_skipped"
	WarnCreatedAtDrift  Code = "created_at_drift"
	WarnModel           Code = "embedding_model_unsupported"
	WarnNotFinite       Code = "embedding_not_finite"
	WarnSignatureNew    Code = "signature_untrusted"
	WarnInexactNumber   Code = "inexact_number"
	WarnRecordsLeft     Code = "records_left_out" // of envelope x_ump
	WarnConsentUnread   Code = "consent_unread"
	WarnWarningsOmitted Code = "warnings_omitted" // there were more than are listed
)

// Fault says where a bundle breaks which rule. It is a [codec.ParseError] and a
// [memory.Error] to errors.As.
type Fault struct {
	Code    Code
	Pointer string // JSON Pointer into the bundle; for a stream, into the bundle it stands for
	Rule    string // id of the requirement, such as "AIMEM-2.8-7"
	Detail  string // the violation; never repeats content
	Signer  string // with signature_untrusted, where the signature is valid: [Key.Name] of the key that made it
	Err     error  // the cause, if any
}

// Error describes the fault in one line: code, place, what, rule.
func (f *Fault) Error() string { return f.parse().Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// As lets errors.As find a [codec.ParseError] or a [memory.Error] in a Fault.
func (f *Fault) As(target any) bool {
	if t, ok := target.(**codec.ParseError); ok {
		*t = f.parse()
		return true
	}
	return f.parse().As(target)
}

func (f *Fault) parse() *codec.ParseError {
	err := error(errors.New(string(f.Code) + ": " + f.Detail))
	return &codec.ParseError{Format: Name, Path: f.Pointer, Rule: f.Rule, Kind: f.Code.kind(), Err: err}
}

// kind sorts a code among the kinds of refusal.
func (c Code) kind() memory.ErrorKind {
	switch c {
	case SignatureRequired, SignatureInvalid, SignatureUntrusted:
		return memory.SignatureInvalid
	case Unauthenticated:
		return memory.Unauthorized
	case MissingScope:
		return memory.ForbiddenScope
	case EmbeddingConsentRequired:
		return memory.ConsentViolation
	}
	return memory.InvalidRecord
}

// Status returns the HTTP status of a code (decisions AD-3, AD-18, AD-20).
func (c Code) Status() int {
	switch c {
	case ChecksumMismatch:
		return 409
	case BodyTooLarge:
		return 413
	case UnsupportedMediaType:
		return 415
	case Unauthenticated:
		return 401
	case MissingScope, EmbeddingConsentRequired:
		return 403
	}
	return 422
}
