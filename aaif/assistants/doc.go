// Package assistants writes and reads assistants of OpenAI's Assistants API (SC-006 3.4.0,
// section 11, decision R44). The API itself is gone; its assistants survive in files.
//
//	assistant                          definition
//	name, description, instructions    the same of agent, within the size limits
//	model                              agent.model.preferred
//	temperature, top_p                 agent.model.temperature, .params.top_p
//	reasoning_effort                   agent.model.params.extended.reasoning_effort
//	response_format                    agent.model.response_format, agent.io.output_schema
//	tools[] of type function           tools[] of protocol function
//	metadata x-aaif                    a summary: sc_version, agent_id, goal, provider, response_format,
//	                                   and tools of other protocols
//	metadata x-aaif.1, x-aaif.2, …     all the rest, as part of a definition
//	created_at                         provenance.created_at
//
// Members without a place in an assistant travel in its metadata, in pieces of 512
// characters under at most 16 names. The metadata hold nothing else. The summary has the
// form of the specification's own converter (tools/aaif/converters.py of its repository),
// which reads x-aaif alone and writes it in any length; both forms are read. In the pieces,
// compliance goes first, then the model and the constraints, then the rest. Members that do not
// fit are listed as lost. Members that fit are listed as carried and not in force, since
// nothing acts on metadata (AAIF-3-4, AAIF-12-6). If an assistant does not carry the whole
// definition, its metadata count the missing values of each part, and readers get them as
// losses.
//
// Edits of an assistant count: its own member wins over the metadata's copy. If that breaks
// a signature, the signature is left out and reported. Losses also report carried members of
// a function that is gone or renamed, and conditions of compliance that name one. Metadata
// with a missing piece are refused.
//
// An assistant without such metadata becomes a definition of the provider openai, and its
// texts make the goal. Its own tools, code_interpreter and file_search, are reported and
// left out.
//
//	to.go      AAIF-11-4, AAIF-11-5    a definition to an assistant
//	visible.go AAIF-11-5               members that an assistant also has
//	carry.go   AAIF-11-6               the contents of its metadata
//	summary.go AAIF-11-4               the first piece
//	cut.go     AAIF-3-4, AAIF-12-6     the note of missing members
//	from.go    AAIF-11-4               an assistant to a definition
//	tools.go   AAIF-11-5               its tools
//	gone.go    AAIF-3-4, AAIF-12-6     its removed tools
package assistants
