// Package gemini reads what Gemini Apps leave in Google Takeout: My Activity as JSON, a
// file as it is, or a folder of an unpacked Takeout in whatever language. It reads only.
// The layout is not documented by its maker, so that what is not known is left alone.
//
//	[{"header": "Gemini Apps", "products": ["Gemini Apps"], "time": "2026-05-01T10:00:00.123Z",
//	  "title": "Prompted how deep is the well", "safeHtmlItem": [{"html": "<p>Ten metres.</p>"}],
//	  "titleUrl": "https://gemini.google.com/app/c/abc"}]
//
// An activity is a prompt and its answers. Those with the address of the same
// conversation are one, in the order of time; any other stands alone, since nothing says
// to which conversation it belongs. What becomes of them says package
// [github.com/satchel-memory/satchel/text/conversation]; an activity that stands alone is one
// exchange, conversations/TIME, without a record of the conversation.
//
//	title                    a turn of the user: what follows the verb, or, in other languages, what
//	                         stands between the words that nearly all titles have in common
//	safeHtmlItem             a turn of the assistant each, as plain text: later ones were made anew
//	details                  Request and Response, turn by turn
//	userInteractions         request and response, the texts in their JSON
//	title of something else  a turn of the system, if it was answered
//
// The residue, body.structured.gemini, is that of all conversations.
//
//	rule      what it says                                             file                 vectors
//	GEMINI-1  the files are JSON, strictly, lists of activities        text/conversation    json-*
//	GEMINI-2  an activity is an object; a page of HTML is not read     read.go, format.go   shape-*
//	GEMINI-3  the limits on sizes, texts, ids and counts hold          text/conversation    limit-*
//	GEMINI-4  records have an owner and a date                         text/conversation    (tables)
//
// A conversation that breaks a rule is left out, and so is what comes after the place where
// a file breaks off; an export of which nothing can be read is refused. What is written
// less strictly than JSON should be is mended. Validation reports all of it.
//
// Losses: what is left out, what is mended, activities of other products in such a file, and those in which nothing was
// said; files that were handed over; lines below an activity; requests and answers without
// a text; products and controls.
package gemini
