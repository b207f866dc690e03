// Package engram is the room of the Engram Standard, version 0.1 (RFC draft of
// 2026-04-20), with what edition 0.1.2 adds: the signed context that an assistant
// starts from. It needs no store and no network.
//
// An export is an envelope around four core objects: who the person is (identity),
// what they prefer, think and do (beliefs), how that changed (evolution), and what
// they overrode (corrections). Objects keep what they were read from, unknown
// members and the spelling of numbers included, because the signature covers it.
//
// What the text leaves open is settled by the decisions E-01 to E-50, whose ids
// stand beside the code that follows them.
package engram
