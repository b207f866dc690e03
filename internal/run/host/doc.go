// Package host runs the agents that an owner keeps, with the models, keys, tools and rules
// that the owner has set up. It joins package run with the journal of the store, with models
// and with tools. Journals hold the times of [run.Limits] in nanoseconds.
//
//	settings of the owner                 settings.go
//	start of a run, and a dry run         start.go, plan.go
//	start that may be repeated            once.go
//	execution, decisions of people        host.go, drive.go
//	runs and events, for callers          read.go
//	journal in the store                  journal.go
//	models, tools, judge, context         setup.go, judge.go, fetch.go
//	move to another platform              leave.go
//	spans, metrics, collectors            report.go, counts.go, collectors.go
//	what a manifest says                  offer.go
package host
