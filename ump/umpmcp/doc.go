// Package umpmcp serves the operations of the Universal Memory Protocol as MCP tools,
// and memories as MCP resources, over stdio and streamable HTTP. It implements section
// 4.1 of version 0.1. If the service behind it is at level 3, there is also a tool for
// feedback, and clients can watch resources.
//
//	section     what                                         file
//	4.1         tools under both spellings of their names    tool.go, server.go
//	4.1         descriptions and schemas of the tools        text.go, schema.go
//	4.1, 5.3    the view for models                          model.go, model_ask.go, model_show.go
//	4.1         ump://{project}/{id}, satchel://brief        resource.go, uri.go, brief.go
//	3.8         sessions that subscribe to changes           subscribe.go, listener.go
//	3.8         changes for each caller                      watch.go, pull.go
//	UD-33       the caller: the owner's agent                caller.go
//	            stdio                                        stdio.go, lines.go, message_reader.go, conversation.go
//	            answers, encoded once                        answer.go
//	            streamable HTTP, every revision              http.go, request.go, stream.go, sessions.go
//	            the same without sessions, for many servers  stateless.go
//
// Several hosts drop all tools if one tool name contains a dot. So tools/list spells the
// names with underscores unless Options.Dotted is set; tools/call accepts both (decision
// UD-23). Decisions UD-23 and UD-30 are amended: the answer to a name with an underscore
// is one framed text without structured content, because hosts show their model only one
// of the two. The answer to a name with a dot is that of section 3.
//
// resources/list names the brief but no memories, because hosts that show such a list
// would show private texts unasked. A client that knows the id and project of a memory
// builds the URI with [ResourceURI] and reads it; the resource template describes the
// URI. Results contain records and no links to them, because a host that follows a link
// would read the same record again.
//
// The server notifies a session that subscribed to a memory when any process merges,
// supersedes, tombstones or erases it. It notifies every session of new and erased
// memories, at most once a second. No session learns of memories that it may not read.
// Clients of revision 2026-07-28 ask for both with subscriptions/listen. A notification
// names the resource, not its content.
package umpmcp
