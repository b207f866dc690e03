// Package agentspec reads agents of the Open Agent Specification (Agent Spec, 25.4.1 to
// 26.2.0), in JSON or YAML, as definitions of AAIF (SC-006 3.4.0).
//
// One Agent of a document becomes a definition. It is the named agent, if there is a name.
// Else it is the document itself, the agent that it specialises, or the manager of its
// workers; else the first agent. Flows, other agents and all other parts without a place in
// a definition are listed.
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
//	MCPTool, tool_filter of MCPToolBox      agent.tools[] of protocol mcp
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
//	tool.go       its tools
package agentspec
