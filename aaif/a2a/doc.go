// Package a2a speaks the Agent2Agent protocol (A2A), editions 1.0 and 0.3. It writes the Agent
// Card of a definition, by which clients find agents, and reads one. AAIF can make cards
// (SC-006 3.4.0, section 11, decision R43).
//
// A card is public. It holds the agent's name, purpose, abilities and address. It holds
// nothing of the agent's instructions, tools, memory or rules: all of them are listed as
// lost. The address is an argument, since no definition has one.
//
//	card                               definition
//	name                               agent.name
//	description                        agent.description, or agent.goal
//	version                            agent.version; 0.0.0 without one
//	skills[].id, name                  agent.skills[], or one skill for the goal
//	skills[].description               agent.goal
//	skills[].tags                      the id, then tags[]
//	capabilities.streaming             agent.io.streaming
//	capabilities.extensions[]          AAIF itself, agent_id, the address of the definition
//	defaultInputModes, …OutputModes    agent.io.format
//	provider.organization              provenance.authored_by
//	supportedInterfaces[] (1.0), url, preferredTransport, protocolVersion (0.3)   Options
//
// A card with the AAIF extension yields the parts of its original definition that it holds,
// without the agent_id. A card never holds constraints and compliance, so its definition is
// not that of the same agent, and losses say so (AAIF-3-4, AAIF-12-6). Any other card is
// read as far as possible, and its texts make the goal. The demands of an agent on its
// callers are listed, even without scopes.
//
// The package also has the tasks, messages and requests of the protocol, as JSON-RPC carries
// them. One type stands for the objects of both editions.
//
//	card.go      AAIF-11-2, AAIF-11-3    a definition to a card
//	served.go    both editions           the card of an agent that is served
//	read.go      both editions           a card to a definition
//	message.go   A2A 1.0, 4.1            messages and their parts
//	task.go      A2A 1.0, 4.1 and 4.2    tasks and their changes
//	params.go    A2A 1.0, 3.1 and 3.2    what operations are asked with
//	rpc.go       A2A 1.0, 5.4 and 9      requests, answers and errors of JSON-RPC
package a2a
