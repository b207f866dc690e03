// Package peer lets other agents work with the agents of an owner by A2A. A task is a run: its
// id is the run's, and its state follows from the run's status. The runs belong to the owner,
// who pays for them, sees them and decides about their calls. Peers see the tasks that they
// began, and nothing else.
//
// Who begins a task is kept with the run, in [run.Start].Origin:
//
//	{"a2a": {"by": "token:…" or "owner", "context": "…", "message": "…"}}
//
//	service.go    who may work with which agent, and its card
//	send.go       a message becomes a run
//	task.go       a run as a task
//	list.go       tasks of one peer
//	follow.go     changes of a task
package peer
