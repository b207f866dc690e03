// Package paste reads and writes the list that an assistant gives when a user asks for
// everything it remembers, in the form that the memory import of Claude and of
// Gemini asks for: one memory a line, with the date it was saved, in one code
// block.
//
//	```
//	[2025-03-01] - Plays chess on Tuesdays.
//	[unknown] - Prefers short answers.
//	```
//
// It also reads another form of such answers, without dates and often in the second
// person:
//
//	Here is what I remember about you:
//	- You play chess on Tuesdays.
//	- You prefer short answers.
//
// A model wrote the text, so its form varies. A fence, or a run of lines that starts with
// an entry, is a block. In a block a bracket or an unindented bullet begins an entry. In a
// fence any other line continues the entry before it. So does every line indented by two
// spaces, which are removed, if the entry itself is not indented. Outside a fence only an
// indented line continues an entry. A heading names the section of the following entries.
// Everything else is chatter. In a text whose first 64 KiB contain no date, the items of
// every list, bulleted or numbered, are entries as well, and a line of up to three words
// and a colon is a heading. Such a text is claimed if a line introduces it so, or if two
// items in three are sentences about "you", "I" or a "user". Other lists are read if the
// user names the format.
//
//	entry                              semantic, its text, created on its date
//	entry under "Identity", or a name  identity
//	entry under "Instructions"         procedural
//
// The section, and a text in place of a date, are the residue: body.structured.paste.
// The line is in provenance.source.ref, "memory.txt#L2".
//
//	rule     what it says                                             file       vectors
//	PASTE-1  the text is UTF-8                                        scan.go    utf8-*
//	PASTE-2  it holds an entry                                        scan.go    entry-*
//	PASTE-3  dates are YYYY-MM-DD or RFC 3339; others leave it undated  wire.go  date-*
//	PASTE-4  blocks, continuations, sections and chatter are as above  block.go  block-*, list-*
//	PASTE-5  the limits on lines, texts and counts hold               scan.go    limit-*
//	PASTE-6  records have an owner and a date                         memory.go  (tables)
//
// detect.go describes which texts are claimed.
//
// The writer gives a record its whole time, if it has one. It writes headings for identity,
// for instructions, and for the sections that entries come from. The further lines of a
// text are indented, and the fence is longer than any in the texts.
//
// Losses: chatter, with headings that have nothing under them; entries without text; texts
// in place of a date. Losses of the writer: data that an entry cannot hold, and records
// that do not hold now.
package paste
