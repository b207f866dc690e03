// Package gemini reads the activities of Gemini Apps from Google Takeout: My Activity as
// JSON or as HTML, as one file, or a folder of an unpacked Takeout in any language. It is
// read-only.
// Google does not document the layout, so the package ignores unknown data.
//
//	[{"header": "Gemini Apps", "products": ["Gemini Apps"], "time": "2026-05-01T10:00:00.123Z",
//	  "title": "Prompted how deep is the well", "safeHtmlItem": [{"html": "<p>Ten metres.</p>"}],
//	  "titleUrl": "https://gemini.google.com/app/c/abc"}]
//
// An activity is a prompt and its answers. Activities with the address of the same
// conversation form one, in the order of time; any other stands alone, since nothing says
// which conversation it belongs to. Package
// [github.com/satchel-memory/satchel/text/conversation] makes records of them; an activity
// that stands alone is one exchange, conversations/TIME, without a record of the
// conversation.
//
//	title                    a turn of the user: the words after the verb, or, in other languages,
//	                         after a label that names a prompt or that several titles share,
//	                         or else between the words that nearly all titles have in common
//	safeHtmlItem             a turn of the assistant each, as plain text: later ones are new attempts
//	details                  Request and Response, turn by turn
//	userInteractions         request and response, the texts in their JSON
//	title of something else  a turn of the system, if it was answered
//
// The residue, body.structured.gemini, is that of all conversations.
//
// A page of HTML is read as the JSON of its activities, in page.go, cell.go and date.go. It
// says no more than the title, the answer, the date in the language of the account, and the
// address of the conversation if there is one. A page beside JSON of the same name is not
// read.
//
//	rule      what it says                                             file                 vectors
//	GEMINI-1  the files are strict JSON lists of activities, or pages  text/conversation    json-*, page-*
//	GEMINI-2  an activity is an object; a page has one                 read.go, page.go     shape-*
//	GEMINI-3  the limits on sizes, texts, ids and counts hold          text/conversation    limit-*
//	GEMINI-4  records have an owner and a date                         text/conversation    (tables)
//
// The reader leaves out a conversation that breaks a rule, and the rest of a file after
// the place where it breaks off. It refuses an export of which it can read nothing. It
// mends JSON that is not strict. Validation reports all of these.
//
// Losses: left out and mended parts, activities of other products in such a file, activities
// without words, and those without an answer whose titles may be no prompts; attached files; lines below an activity; requests and answers
// without a text; time zones of pages that are not known; products and controls.
package gemini
