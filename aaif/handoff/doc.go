// Package handoff moves the state of a run from platform to platform as a stream of
// frames, one JSON object per line (SC-006, section 8.3, media type
// application/x-aaif-handoff+ndjson). What arrives is what was sent, to the last member:
// canonical forms are equal, or nothing has arrived.
//
//	frame.go    the eight frames, and what each must and may hold      schema/ the same as a JSON Schema
//	envelope.go what the first frame says of the state around its lists
//	send.go     a state to frames, each bounded
//	lines.go    bytes to lines, each bounded, none read before it is due
//	receive.go  the order of frames, and the token before all else
//	rebuild.go  frames to the state
//
// Transport belongs to others: that the channel is encrypted (AAIF-8.3-5), and that a
// platform keeps a state only after its own checks.
package handoff
