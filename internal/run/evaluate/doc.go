// Package evaluate puts the test cases of an agent to it and holds what it does to the
// thresholds of its definition (AAIF section 4.8). Each case is a run of its own, by the
// executor that executes all runs. Its journal lies in memory: no store keeps it, and no list
// shows it. No tool that may write is called; a stub answers in its place (AAIF-4.8-9).
//
//	test cases, limits over all of them   evaluate.go
//	one case                              case.go
//	journal in memory                     journal.go
//	answers of stubs                      stub.go
//	metrics, thresholds                   score.go
//	report for programs                   report.go
//	reports for CI                        junit.go, markdown.go
package evaluate
