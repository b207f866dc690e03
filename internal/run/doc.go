// Package run carries out agents (AAIF sections 4.2 to 4.9 and 8). A run is a journal of
// numbered events. A [Run] is the fold of its events, and [Run.Next] says what is to be
// done next; both are pure. The [Executor] does it: it writes down every action before it
// begins, and its result before the next action. A run that was killed, or that another
// server takes over, therefore goes on where its journal ends.
//
// A process that executes a run holds it. If another process takes the run over, the first one
// can append no more, and so begins no further action. Nobody holds a run that waits for a
// person.
//
//	section 4    what a model is told, hooks   guard.go, hook.go
//	section 4.2  asking a model                turn.go
//	section 4.3  agents that work together     thread.go, tree.go, lead.go
//	section 4.4  calling a tool                call.go, pending.go
//	section 4.6  bounds of a run               limits.go
//	section 4.9  approval                      call.go, decide.go
//	section 8.1  a run, its events, what next  event.go, run.go, next.go
//	section 8.1  checkpoints                   capture.go, capture_tree.go
//	section 8.2  going on elsewhere            restore.go, restore_tree.go
//	execution    of a run, of its threads      execute.go, schedule.go, work.go
//	             the hold of a run             journal.go
//	             what a run works with         setup.go
package run
