// Package a2a writes the Agent Card of a definition, and reads one. Agent Cards are what
// agents of the Agent2Agent protocol (A2A, editions 1.0 and 0.3) are found by; AAIF can
// make them (SC-006 3.4.0, section 11, decision R43).
//
// A card is public. It says what an agent is called, what it does, what it can and how it
// is reached, and nothing of its instructions, tools, memory or rules: all of that is
// listed as lost. The address is an argument, as no definition has one.
//
//	card                               definition
//	name                               agent.name
//	description                        agent.description, or agent.goal
//	version                            agent.version; 0.0.0 without one
//	skills[].id, name                  agent.skills[], or one skill for the goal
//	skills[].description               agent.goal
//	skills[].tags                      the id, then tags[]
//	capabilities.streaming             agent.io.streaming
//	capabilities.extensions[]          what AAIF is, agent_id, where the definition is had
//	defaultInputModes, …OutputModes    agent.io.format
//	provider.organization              provenance.authored_by
//	supportedInterfaces[] (1.0), url, preferredTransport, protocolVersion (0.3)   Options
//
// A card that names the extension is read as what it says of the definition that it came
// from, without its agent_id: constraints and compliance never are in a card, so that what
// is made of it is not that agent, and is told so (AAIF-3-4, AAIF-12-6). Any other is read
// as far as it goes, with a goal made of what it says. What an agent asks of callers is
// listed, though it names no scope.
//
//	card.go   AAIF-11-2, AAIF-11-3    a definition to a card
//	read.go   both editions           a card to a definition
package a2a
