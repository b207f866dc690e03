// Package chatgpt reads the export of ChatGPT: conversations.json, or
// conversations-000.json and so on, and memory.json where there is one, each as a file or
// all in the folder it was unpacked to. It reads only. The layout is not documented by its
// maker, so that what is not known is left alone.
//
//	[{"title": "Trip", "create_time": 1735725600.2, "current_node": "b", "conversation_id": "c-1",
//	  "mapping": {"a": {"parent": null, "children": ["b"], "message": {"author": {"role": "user"},
//	     "content": {"content_type": "text", "parts": ["Where is this?"]}}}, "b": …}}]
//
// A conversation is a tree of messages. What was shown last is the way from current_node
// to the root, or, where that is not said, from the latest message without an answer. What
// becomes of it says package [github.com/satchel-memory/satchel/text/conversation]; an
// archived conversation is one like others, and says so in its residue.
//
//	a message of the user              a turn of the user
//	one of the assistant               a turn of the assistant; to a tool, of the tool
//	one of a tool, a page it has read  a turn of the tool
//	code                               in a fence; a document made in the canvas, the document
//	what was said aloud                its words
//	a message to bio                   beside the turn: semantic, memories/ID, a saved memory
//	memory.json                        semantic, memories/ID; one that is switched off has ended
//	custom instructions                once for all conversations, as the latest has them:
//	  about the user                   identity, custom-instructions/profile
//	  how to answer                    procedural, custom-instructions/answers
//
// The residue of a conversation, body.structured.chatgpt, is id, title, how many turns,
// who took part and, in rest, its other texts and numbers; that of what was said, which
// turns these are: id, author, model and when.
//
//	rule       what it says                                              file                 vectors
//	CHATGPT-1  the files are JSON, strictly, lists of what they hold     text/conversation    json-*
//	CHATGPT-2  a conversation has a mapping, a memory a content          read.go, notes.go    shape-*
//	CHATGPT-3  the limits on sizes, texts, ids and counts hold           text/conversation    limit-*
//	CHATGPT-4  records have an owner and a date                          text/conversation    (tables)
//	CHATGPT-5  messages do not run in a circle                           read.go              circle-*
//
// A conversation that breaks a rule is left out, and so is what comes after the place where
// a file breaks off; an export of which nothing can be read is refused. What is written
// less strictly than JSON should be is mended. Validation reports all of it.
//
// Losses: what is left out, what is mended, messages on other branches, hidden ones, thoughts, parts that are no text, files
// of which there is the name alone, markers of citations, requests to forget a memory,
// conversations in which nothing was said, earlier custom instructions, further lists and
// objects about messages and conversations, and the other files of the export.
package chatgpt
