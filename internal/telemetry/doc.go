// Package telemetry sends traces and metrics to a collector of the operator's choice, by
// OTLP over HTTP (OpenTelemetry protocol 1.x, protobuf). Without a collector it does nothing:
// no goroutine runs, and each call costs a comparison.
//
// What leaves says which route a request took, what the store did for it, how long that
// took and how it ended. Nothing of a memory, a question, an id, an owner, a client, an
// address or a statement's text leaves. A trace that a client began (W3C Trace Context) is
// carried on by its number alone: its tracestate and baggage, which are free text, are
// dropped.
//
// Of runs of agents, spans say what internal/run/trace has for them (runs.go).
//
// A collector that is away costs the server nothing but the memory of the bounded queue:
// what finds no room in it is dropped. The log says so once, and again when the collector is
// back.
package telemetry
