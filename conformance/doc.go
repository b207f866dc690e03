// Package conformance is the engine of the conformance suites: it tests a running server
// against the requirements of a specification.
//
//	requirements/  the tables of requirements, and why a row has no test
//	course.go      tries each row, or says why it cannot be tried
//	server.go      sends requests to a server that may throttle them
//	result.go      the outcome of a row
//	log.go         the outcomes of a run
//	docs/          writes docs/conformance.md
//
// The checks are in ump, aimem, engram and aaif. The package engramruntime tests assistants.
package conformance
