// Package topology decides how the agents of a definition work together (AAIF, SC-006,
// version 3.4, section 4.3): who works next and on what, how their outputs become one, and
// to whom a run is handed over. Every function is pure: it sees what became of the steps so
// far, and returns what is to be done. Whoever carries it out writes that down.
//
//	section 4.3  who works with whom        team.go, member.go
//	             one after another          pipeline.go
//	             side by side               swarm.go
//	             by conditions              router.go
//	             one result of several      consensus.go, vote.go, merge.go
//	             from agent to agent        handoff.go
//	section 5    conditions                 condition.go
//	section 8.1  pipeline_position          position.go
//
// A definition with a pipeline works through it, whatever else it declares. Otherwise a
// router chooses by conditions. Any other agent with subagents dispatches to all that are
// eligible: at the same time with parallel_execution, and otherwise in declared order, one
// after another. A subagent that only a handoff names takes no part before the handoff.
package topology
