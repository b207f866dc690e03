// Package handoff sends and receives the state of a run as a stream of frames, one JSON
// object per line (SC-006, section 8.3, media type application/x-aaif-handoff+ndjson). The
// received state equals the sent one in canonical form, or nothing is received.
//
//	frame.go    the eight frames, their required and optional members      schema/ the same as a JSON Schema
//	envelope.go the state around its lists, in the first frame
//	send.go     a state to frames, each bounded
//	lines.go    bytes to lines, each bounded, none read before it is due
//	receive.go  the order of frames, and the token before all else
//	rebuild.go  frames to the state
//
// The caller provides an encrypted channel (AAIF-8.3-5), and its platform keeps a state only
// after its own checks.
package handoff
