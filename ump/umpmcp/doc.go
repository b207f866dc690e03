// Package umpmcp is the MCP profile of the Universal Memory Protocol 0.1,
// section 4.1: the six operations of section 3 as MCP tools, memories as
// resources, over stdio and streamable HTTP; at level 3 where the service behind
// it is: then there is a tool for feedback, and resources can be watched.
//
//	section     what                                         file
//	4.1         tools under both spellings of their names    tool.go, server.go
//	4.1         what the tools say of themselves             text.go, schema.go
//	4.1, 5.3    the view for models                          model.go, model_ask.go, model_show.go
//	4.1         ump://{project}/{id}, satchel://brief        resource.go, uri.go, brief.go
//	3.8         who is told of changes                       subscribe.go, listener.go
//	3.8         what has changed, for each caller            watch.go, pull.go
//	UD-33       who speaks: the owner's agent                caller.go
//	            stdio                                        stdio.go, lines.go
//	            streamable HTTP, every revision              http.go, arrive.go, stream.go, sessions.go
//	            the same without sessions, for many servers  stateless.go
//
// One tool name with a dot makes several hosts drop every tool, so tools/list
// spells them with underscores unless it is told otherwise; tools/call knows both
// (decision UD-23). Decisions UD-23 and UD-30 are amended: a call by a name with an
// underscore is answered by one framed text and no structured content, because hosts show
// their model either the one or the other. A call by a name with a dot is answered as
// section 3 says.
//
// resources/list names the brief and no memories: a list of them would put
// private texts before every host that shows one, unasked. Who has the id of a
// memory and its project makes the address with ResourceURI and reads it; the
// template says how. Results carry records and no links to them, because a host
// that follows a link would read again what it already has.
//
// A session that has subscribed to a memory is told when it is merged,
// superseded, tombstoned or erased, whichever process did it; every session, at
// most once a second, that there are new memories or fewer. Nobody is told of what
// it could not read. Revision 2026-07-28 asks for either with
// subscriptions/listen. A notification says where to look, not what is there.
package umpmcp
