// Package trace has the traces of runs (AAIF section 4.7): which spans there are, what they
// say, and how a trace is carried from one program to the next (W3C Trace Context). It sends
// nothing: a [Recorder] does.
//
// A run is one trace, however many processes execute it. Its trace and the id of its root
// span, aaif.agent.run, are in its journal ([Origin]). The process in which the run ends
// records the root span. Other spans are recorded when they end, so that a process that is
// killed leaves out those that were under way.
//
// An attribute names things of definitions, counts and codes. No prompt, argument, result or
// memory is an attribute.
//
//	span                     attributes of AAIF                                             attributes of gen_ai
//	aaif.agent.run           agent.id, agent.name, agent.version, model.provider,           gen_ai.operation.name invoke_agent, gen_ai.agent.id,
//	                         model.name                                                     gen_ai.agent.name, gen_ai.agent.version,
//	                                                                                        gen_ai.provider.name, gen_ai.request.model
//	aaif.agent.llm_call      llm.model, llm.provider, llm.input_tokens, llm.output_tokens   gen_ai.operation.name chat, gen_ai.provider.name,
//	                                                                                        gen_ai.request.model, gen_ai.usage.input_tokens,
//	                                                                                        gen_ai.usage.output_tokens
//	aaif.agent.tool_call     tool.name, tool.protocol, tool.endpoint                        gen_ai.operation.name execute_tool, gen_ai.tool.name
//	aaif.agent.memory_read,  memory.scope, memory.backend
//	aaif.agent.memory_write
//	aaif.agent.handoff       target_agent.id, pass_context
//
// A span that failed has error.type, a code.
package trace
