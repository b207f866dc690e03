package server

// The external tests check the backends that the server's options accept.
type (
	Admitter = admitter
	Refuser  = refusalRecorder
	Counter  = statsSource
	Shared   = sharedLimiter
)

// New lets the external tests make a server that does not listen.
var New = newServer
