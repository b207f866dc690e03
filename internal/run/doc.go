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
//	section 4.6  bounds of a run            limits.go
//	section 4.2  asking a model             turn.go
//	section 4.4  calling a tool             call.go
//	section 4.9  approval                   call.go, decide.go
//	section 8.1  what a run looks like      event.go, run.go, pending.go, next.go, capture.go
//	section 8.2  going on elsewhere         capture.go, restore.go
package run
