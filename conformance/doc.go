// Package conformance is the engine of the conformance suites: it tests a running server
// against the requirements of a specification.
//
//	requirements/  the tables of requirements, which requirements.go reads, and why a row has no test
//	course.go      tries each row, or says why it cannot be tried
//	client.go      sends requests to the server and reads its answers
//	server.go      the address of the server, and which rows are asked for
//	result.go      the outcome of a row
//	log.go         the outcomes of a run
//	docs/          writes docs/conformance.md
//
// The checks are in ump, aimem, engram and aaif. The package engramruntime tests assistants.
package conformance
