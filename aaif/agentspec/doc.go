// Package agentspec reads agents of the Open Agent Specification (Agent Spec, 25.4.1 to
// 26.2.0), in JSON or YAML, as definitions of AAIF (SC-006 3.4.0).
//
// One Agent or Flow of a document becomes a definition. It is the named one, if there is a
// name. Else it is the document itself, the agent that it specialises, the manager of its
// workers, or the first agent of its swarm; else the first agent. Other agents and all other
// parts without a place in a definition are listed.
//
// Agents of one document refer to each other by agent_id. An agent whose id is no UUID gets
// one that is made of the names of document and agent, so that it is the same wherever it is
// read. A flow is a pipeline if it is a line of agents, and a router if it chooses one agent
// by one of its inputs; of any other flow the agents are taken, and their order is listed as
// lost. Agents of A2A and of OCI run elsewhere, and the document does not describe them: they
// are refused, or listed, with what can be done.
//
//	Agent                                   definition
//	id                                      agent_id, if it is a UUID
//	name, description, system_prompt        agent.name, .description, .instructions
//	inputs, outputs                         agent.io.input_schema, .output_schema
//	llm_config: component_type, api_provider, provider   agent.model.provider, .provider_id
//	llm_config: model_id, url               agent.model.preferred, .base_url
//	default_generation_parameters           agent.model.temperature, .params
//	ServerTool, ClientTool                  agent.tools[] of protocol function
//	RemoteTool                              agent.tools[] of protocol http
//	MCPTool, MCPToolBox                     agent.tools[] of protocol mcp: each tool of its
//	                                        tool_filter, or the server
//	ManagerWorkers: workers                 agent.orchestration.subagents[] of its manager
//	Swarm: relationships, handoff           subagents[] and handoff[] of the agent that asks
//	Flow: nodes, control_flow_connections   subagents[] and pipeline[]
//	requires_confirmation                   agent.compliance.human_in_the_loop
//	additional_instructions, _tools         appended to those of the agent
//
// References ($component_ref) are followed within the document. Component ids, other than
// the agent's, name things inside the document and are not kept. YAML is read without
// anchors and tags, and no value in it becomes a time.
//
//	yaml.go       JSON or YAML to a tree
//	document.go   components, references, the choice of agent
//	agent.go      the agent and its model
//	team.go       AAIF-4.3-2, AAIF-4.3-17   managers and swarms
//	flow.go       AAIF-4.3-4                flows
//	router.go     AAIF-4.3-2                flows that choose an agent
//	tool.go       its tools
package agentspec
