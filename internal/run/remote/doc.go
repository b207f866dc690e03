// Package remote gives tasks to agents on other platforms by A2A, editions 1.0 and 0.3, over
// JSON-RPC. An agent is known by the address of its Agent Card, and is asked only if the
// operator lists that address.
//
// A task is given once: the id of its message is the key of the call, so that platforms that
// know messages by their ids take a repeated one for the same. Then the task is followed to
// its end, by its stream or by looking at it. Whoever waits no longer cancels the task.
//
// The packages of the A2A project are not used: its client for Go brings gRPC along.
//
//	client.go    which agents are asked, and their cards
//	wire.go      requests and answers
//	follow.go    a task to its end
package remote
