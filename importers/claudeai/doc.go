// Package claudeai reads the export of Claude.ai, in both of its layouts: conversations,
// memories, projects and conversations over designs, each file by itself or all in the
// folder they were unpacked to. It reads only. The layout is not documented by its maker,
// so that what is not known is left alone.
//
//	conversations.json                     [{"uuid", "name", "chat_messages": [{"uuid", "sender", "text", "content": […]}]}]
//	memories.json, memories/ACCOUNT.json   {"conversations_memory", "project_memories": {…}, "memory_files": [{"path", "content"}]}
//	projects.json, projects/ID.json        {"uuid", "name", "description", "prompt_template", "docs": [{"filename", "content"}]}
//	design_chats/ID.json                   {"uuid", "title", "messages": [{"role", "content": {"contentBlocks": […]}}]}
//
// What becomes of conversations says package
// [github.com/satchel-memory/satchel/text/conversation]. A message is its blocks, or
// its text where it has none of text; where messages say what they answer, those on other
// branches than the last are left out.
//
//	a block of text                 a turn of whoever sent the message
//	tool_use, tool_result           a turn of the tool
//	an attachment with its text     a turn of a document
//	conversations_memory            semantic, memories/ACCOUNT/conversations
//	project_memories                semantic, "In the project NAME: …", memories/ACCOUNT/projects/ID
//	memory_files                    semantic, memories/ACCOUNT/files/PATH
//	description of a project        semantic, "In the project NAME: …", projects/ID
//	its prompt_template             procedural, "In the project NAME: …", projects/ID/instructions
//	its docs                        semantic, under their names, projects/ID/documents/ID
//
// What is of a project is about entity:NAME. In a folder the projects are read before the
// memories, which have their ids alone.
//
// The residue of a conversation, body.structured.claudeai, is id, title, how many turns,
// who took part and, in rest, its other texts and numbers; that of what was said, which
// turns these are; that of all else the id of the project, and other texts and numbers.
//
//	rule        what it says                                                  file                 vectors
//	CLAUDEAI-1  the files are JSON, strictly, lists of what they hold, or one text/conversation    json-*
//	CLAUDEAI-2  what is in a list has the shape of its file                   read.go, notes.go    shape-*
//	CLAUDEAI-3  the limits on sizes, texts, ids and counts hold               text/conversation    limit-*
//	CLAUDEAI-4  records have an owner and a date                              text/conversation    (tables)
//	CLAUDEAI-5  messages do not run in a circle                               read.go              circle-*
//
// A conversation that breaks a rule is left out, and so is what comes after the place where
// a file breaks off; an export of which nothing can be read is refused. What is written
// less strictly than JSON should be is mended. Validation reports all of it.
//
// Losses: what is left out, what is mended, messages on other branches, thoughts, blocks that are no text, attachments and
// files without a text, conversations in which nothing was said, memories and documents
// that say nothing, further lists and objects about them, and the other files of the
// export.
package claudeai
