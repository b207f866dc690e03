// Package host runs the agents that an owner keeps: it starts runs of kept definitions, goes
// on with them, and answers for them, with what the owner has set up. It joins package run
// with the journal of the store, with models and with tools.
//
//	what the owner has set up             settings.go
//	a run starts, and what it would do    start.go, plan.go
//	the same start twice; checkpoints     once.go
//	goes on, waits, is decided about      host.go, drive.go
//	its journal                           journal.go
//	models, tools, judge, context         setup.go, judge.go, fetch.go
//	leaves for another platform           leave.go
//	what a manifest says of all this      offer.go
package host
