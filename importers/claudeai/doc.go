// Package claudeai reads the export of Claude.ai, in both of its layouts: conversations,
// memories, projects and conversations over designs, each file by itself or all in an
// unpacked folder. It is read-only. Anthropic does not document the layout, so the package
// ignores unknown data.
//
//	conversations.json                     [{"uuid", "name", "chat_messages": [{"uuid", "sender", "text", "content": […]}]}]
//	memories.json, memories/ACCOUNT.json   {"conversations_memory", "project_memories": {…}, "memory_files": [{"path", "content"}]}
//	projects.json, projects/ID.json        {"uuid", "name", "description", "prompt_template", "docs": [{"filename", "content"}]}
//	design_chats/ID.json                   {"uuid", "title", "messages": [{"role", "content": {"contentBlocks": […]}}]}
//
// Package [github.com/satchel-memory/satchel/text/conversation] makes records of
// conversations. The text of a message is that of its blocks, or its own if no block has
// text. A block of an unknown kind is its text; a text between the messages is a message
// of nobody. If messages name the message that they answer, those on other branches than the
// last with words are left out. A message that answers a missing one follows the message
// before it in the file.
//
//	a block of text                 a turn of the message's sender
//	tool_use, tool_result           a turn of the tool
//	an attachment with its text     a turn of a document
//	conversations_memory            semantic, memories/ACCOUNT/conversations
//	project_memories                semantic, "In the project NAME: …", memories/ACCOUNT/projects/ID
//	memory_files                    semantic, memories/ACCOUNT/files/PATH
//	description of a project        semantic, "In the project NAME: …", projects/ID
//	its prompt_template             procedural, "In the project NAME: …", projects/ID/instructions
//	its docs                        semantic, under their names, projects/ID/documents/ID
//
// Records of a project are about entity:NAME. In a folder the package reads the projects
// before the memories, which only have the projects' ids.
//
// The residue of a conversation, body.structured.claudeai, is id, title, the number of
// turns, the participants and, in rest, its other texts and numbers. The residue of a
// record of turns lists them. Any other residue holds the id of the project, and other
// texts and numbers.
//
//	rule        what it says                                                  file                 vectors
//	CLAUDEAI-1  the files are strict JSON, a list or one element              text/conversation    json-*
//	CLAUDEAI-2  the elements of a list have the shape of its file             read.go, notes.go    shape-*
//	CLAUDEAI-3  the limits on sizes, texts, ids and counts hold               text/conversation    limit-*
//	CLAUDEAI-4  records have an owner and a date                              text/conversation    (tables)
//	CLAUDEAI-5  messages do not run in a circle                               read.go              circle-*
//
// The reader leaves out a conversation that breaks a rule, and the rest of a file after
// the place where it breaks off. It refuses an export of which it can read nothing. It
// mends JSON that is not strict. Validation reports all of these.
//
// Losses: left out and mended parts, messages on other branches, thoughts, blocks that are
// not text, entries that are no message, attachments and files without a text, conversations without words, empty
// memories and documents, other lists and objects about them, and the other files of the
// export.
package claudeai
