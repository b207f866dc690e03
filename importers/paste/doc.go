// Package paste reads and writes what an assistant answers when it is asked to list
// everything it remembers, in the form that the memory import of Claude and of
// Gemini asks for: one memory a line, with the date it was saved, in one code
// block.
//
//	```
//	[2025-03-01] - Plays chess on Tuesdays.
//	[unknown] - Prefers short answers.
//	```
//
// Assistants answer in another form too, without dates and often in the second
// person, which is read as well:
//
//	Here is what I remember about you:
//	- You play chess on Tuesdays.
//	- You prefer short answers.
//
// A model wrote it, so little can be relied on. A fence, or a run of lines that
// starts with an entry, is a block. In a block a bracket or an unindented bullet
// begins an entry; in a fence any other line goes on with the entry before it, and so
// does whatever is indented by two spaces, which are taken off, where the entry is not;
// outside only an indented line does; a heading names the section of what
// follows. Everything else is chatter. In a text whose first 64 KiB hold no date,
// the items of every list, bulleted or numbered, are entries as well, and a line of
// up to three words and a colon is a heading. Such a text is claimed when a line
// introduces it so, or when two items in three are sentences about "you", "I" or a
// "user"; other lists are read when the format is named.
//
//	entry                              semantic, its text, created on its date
//	entry under "Identity", or a name  identity
//	entry under "Instructions"         procedural
//
// The section, and what stands for a date and is none, are the residue:
// body.structured.paste.
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
// detect.go tells what is claimed.
//
// A list is written with whole times where a record has one, under headings for who the
// user is, for instructions, and for the sections that entries came from; texts of several
// lines go on indented, and the fence is longer than any in them.
//
// Losses: chatter, to which a heading with nothing under it belongs, an entry
// without text, a date that is none. Of records that are written: whatever an entry does
// not say, and those that do not hold now.
package paste
