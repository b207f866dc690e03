// Package engram reads, checks, signs and verifies exports of the Engram Standard, version
// 0.1 (RFC draft of 2026-04-20) with edition 0.1.2: the signed context that an assistant
// starts from. It needs no store and no network.
//
// An export is an envelope around four core objects: who the person is (identity),
// what they prefer, think and do (beliefs), how that changed (evolution), and what
// they overrode (corrections). Each object keeps the JSON that it was read from, with
// unknown members and the spelling of numbers, because the signature covers it.
//
//	3.2–3.6   wire.go wire_words.go read.go write.go same.go document.go   sample_test.go
//	3.2–3.6   check.go check_envelope.go check_objects.go shape.go: [Validate]
//	3.4, 3.5  belief.go past.go: [Overdue], [Effective], [Typed], [At]
//	3.7       scope.go select.go: [Select]
//	3.8       issue.go verify.go refusal.go key.go issuer.go encoding.go: [Signer], [Verify]
//	3.9       service.go fault.go delta.go: [Backend]; engramhttp serves it
//	3.9       client*.go: [Client]
//	3.10      version.go
//	5         render.go: [Render]
//	12.1      consent.go: [Consent]
//	12.2      merge*.go: [Merge]
//	12.3      schema.go schema/: strict-write and tolerant-read
//	12.5      webhook.go: [SignDelivery], [VerifyDelivery]
//	mapping   memory_*.go format*.go: [Mapper], [Lineages], [Format]
//
// Decisions E-01 to E-50 settle what the standard leaves open; their ids stand beside the
// code that follows them.
package engram
