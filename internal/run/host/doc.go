// Package host runs the agents that an owner keeps, with the models, keys, tools and rules
// that the owner has set up. It joins package run with the journal of the store, with models
// and with tools. Journals hold the times of [run.Limits] in nanoseconds.
//
//	settings of the owner                 settings.go
//	start of a run, and a dry run         start.go, plan.go
//	start that may be repeated            once.go
//	run of a checkpoint                   restored.go
//	start by a trigger                    triggers.go, watcher.go, folder_trigger.go
//	execution, decisions of people        host.go, drive.go, backlog.go
//	runs, events and texts, for callers   read.go, text.go
//	journal in the store                  journal.go
//	models, tools, judge, context         setup.go, judge.go, fetch.go
//	hooks                                 hooks.go
//	subagents, agents elsewhere           team.go, remote.go
//	memory                                memory.go
//	test cases                            evaluate.go
//	move to another platform              leave.go
//	spans, metrics, collectors            report.go, counts.go, collectors.go
//	what a manifest says                  offer.go
package host
