// Package a2ahttp serves agents to other agents by A2A, editions 1.0 and 0.3, over JSON-RPC
// and server-sent events. One address answers both editions: the header A2A-Version says
// which one a request speaks, and without it that is 0.3 (A2A 1.0, section 3.6).
//
// Of the public compatibility kit, the mandatory cases that concern JSON-RPC are in
// TestA2ACompatibility of internal/server, rewritten from the specification, under the ids of
// that kit.
//
//	handler.go    routes, letting in, cards
//	request.go    A2A 1.0, section 9        requests of JSON-RPC and their answers
//	stream.go     A2A 1.0, section 9.4      streams of events
//	problem.go    A2A 1.0, section 3.3.2    refusals
package a2ahttp
