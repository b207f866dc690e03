// Package chatgpt reads the export of ChatGPT: conversations.json, or
// conversations-000.json and so on, and memory.json if there is one, each as a file or
// all in an unpacked folder. It is read-only. OpenAI does not document the layout, so the
// package ignores unknown data.
//
//	[{"title": "Trip", "create_time": 1735725600.2, "current_node": "b", "conversation_id": "c-1",
//	  "mapping": {"a": {"parent": null, "children": ["b"], "message": {"author": {"role": "user"},
//	     "content": {"content_type": "text", "parts": ["Where is this?"]}}}, "b": …}}]
//
// A conversation is a tree of messages. The branch shown last leads from current_node to
// the root, or, without that member, from the latest message without an answer. Package
// [github.com/satchel-memory/satchel/text/conversation] makes records of the branch. An
// archived conversation is like any other; its residue says that it is archived. Of the
// project or the custom GPT of a conversation an export has the id, gizmo_id, which stays in
// the residue; names, instructions and files are in no export.
//
//	a message of the user              a turn of the user
//	one of the assistant               a turn of the assistant; to a tool, of the tool
//	one of a tool, a page it has read  a turn of the tool
//	code                               in a fence; a document made in the canvas, the document
//	speech                             its words
//	a message to bio                   beside the turn: semantic, memories/ID, a saved memory
//	saved memories shown to the model  semantic, memories/DIGEST, each once, unless it is one of the others
//	memory.json                        semantic, memories/ID; one that is switched off has ended
//	custom instructions                once for all conversations, as the latest has them:
//	  about the user                   identity, custom-instructions/profile
//	  how to answer                    procedural, custom-instructions/answers
//
// The residue of a conversation, body.structured.chatgpt, is id, title, the number of
// turns, the participants and, in rest, its other texts and numbers. The residue of a
// record of turns lists them: id, author, model and date.
//
//	rule       what it says                                              file                 vectors
//	CHATGPT-1  the files are strict JSON lists                           text/conversation    json-*
//	CHATGPT-2  a conversation has a mapping, a memory a content          read.go, notes.go    shape-*
//	CHATGPT-3  the limits on sizes, texts, ids and counts hold           text/conversation    limit-*
//	CHATGPT-4  records have an owner and a date                          text/conversation    (tables)
//	CHATGPT-5  messages do not run in a circle                           read.go              circle-*
//
// The reader leaves out a conversation that breaks a rule, and the rest of a file after
// the place where it breaks off. It refuses an export of which it can read nothing. It
// mends JSON that is not strict. Validation reports all of these.
//
// Losses: left out and mended parts, messages on other branches, hidden ones, thoughts,
// parts that are not text, files present by name alone, projects and custom GPTs present by
// id alone, conversations without a date, which have that of their file, markers of citations, requests to
// forget a memory, other parts of the memories shown to the model, conversations without words, earlier custom instructions, other lists
// and objects about messages and conversations, and the other files of the export.
package chatgpt
