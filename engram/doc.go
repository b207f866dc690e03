// Package engram is the room of the Engram Standard, version 0.1 (RFC draft of
// 2026-04-20), with what edition 0.1.2 adds: the signed context that an assistant
// starts from. It needs no store and no network.
//
// An export is an envelope around four core objects: who the person is (identity),
// what they prefer, think and do (beliefs), how that changed (evolution), and what
// they overrode (corrections). Objects keep what they were read from, unknown
// members and the spelling of numbers included, because the signature covers it.
//
//	3.2–3.6   wire.go wire_words.go read.go write.go same.go document.go   sample_test.go
//	3.2–3.6   check.go check_envelope.go check_objects.go shape.go, rules by pointer
//	3.4       belief.go past.go: staleness, types, a memory as it was
//	3.7       scope.go select.go
//	3.8       issue.go verify.go refusal.go key.go issuer.go encoding.go
//	3.9       service.go fault.go delta.go      bindings: engramhttp
//	3.10      version.go
//	5         render.go
//	12.3      schema.go schema/: strict-write and tolerant-read
//	mapping   memory_*.go format*.go
//
// What the text leaves open is settled by the decisions E-01 to E-50, whose ids
// stand beside the code that follows them.
package engram
