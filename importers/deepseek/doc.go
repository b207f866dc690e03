// Package deepseek reads the export of DeepSeek's chat: conversations.json, by itself or in
// an unpacked folder. It is read-only. DeepSeek does not document the layout, so the package
// ignores unknown data.
//
//	[{"id", "title", "inserted_at", "updated_at", "mapping":
//	  {"root": {"id", "parent": null, "children": ["1"], "message": null},
//	   "1": {"id", "parent": "root", "children": ["2"], "message":
//	     {"model", "inserted_at", "files": [], "fragments": [{"type": "REQUEST", "content"}]}}}}]
//
// Package [github.com/satchel-memory/satchel/text/conversation] makes records of
// conversations. The text of a message is that of its fragments. A message with a fragment
// REQUEST is the user's, any other the assistant's. Older exports have "content" and
// "reasoning_content" instead, and do not say who speaks: the user and the assistant take
// turns. Of several branches the latest is read.
//
// The residue of a conversation, body.structured.deepseek, is id, title, the number of
// turns, the participants and, in rest, its other texts and numbers. The residue of a
// record of turns lists them.
//
//	rule        what it says                                                  file                 vectors
//	DEEPSEEK-1  the files are strict JSON, a list or one element              text/conversation    json-*
//	DEEPSEEK-2  a conversation has its messages in a mapping                  read.go              shape-*
//	DEEPSEEK-3  the limits on sizes, texts, ids and counts hold               text/conversation    limit-*
//	DEEPSEEK-4  records have an owner and a date                              text/conversation    (tables)
//	DEEPSEEK-5  messages do not run in a circle                               read.go              circle-*
//
// Losses: see format.go.
package deepseek
