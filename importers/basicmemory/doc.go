// Package basicmemory reads and writes the folders of notes of basic-memory, as of its
// release 0.14: Markdown with front matter, in which some list items have a grammar.
//
//	---
//	title: Coffee
//	type: note
//	permalink: drinks/coffee
//	---
//	Best in the morning.
//
//	## Observations
//	- [method] Pour slowly #slow (by hand)
//
//	## Relations
//	- part_of [[Breakfast]] (since May)
//
// A note maps to memories as follows:
//
//	the note                       semantic, "# <title>", then its prose; without any "<title>"
//	observation                    "<title>: <content>", with its tags and context
//	  [event], [episode]           episodic
//	  [identity], [working]        identity, working
//	  [procedure], [rule], [instruction], [technique], [method], [how-to], [workflow]  procedural
//	  any other category           semantic
//	relation                       semantic, "<title> <type> <target>", relation <type> to entity:<target>
//	title                          every memory of the note is about entity:<title>
//	[[link]] in prose or content   relation links_to to entity:<target>
//	category, context              body.structured.category, body.structured.context
//	tags, #tags                    body.structured.tags
//	type, other properties         body.structured.type, body.structured.properties
//	created, modified              time.created, time.observed
//
// Items in code, check boxes, and items with a link in a sentence are prose. A note's ref
// is <folder>/<permalink>, or <folder>/<path>.md: an edited note replaces its earlier
// import. An observation has no permanent name; its ref is the line,
// <folder>/<permalink>#L12. If a line disappears from a note, its memory stays until
// somebody forgets it.
//
// The residue, body.structured.basicmemory, names the memory's note, and holds the line
// if its spelling is unusual. The residue of the note's own memory holds the path, the
// lines that are no other memories, marks in place of those that are, and a sum over the
// text.
//
// The writer restores a note from such a folder byte for byte, if its own memory is
// unedited and all others are there; it leaves out lines whose memory is missing. Every
// other memory goes into the folder memories:
//
//	a line, about nothing or one entity   list item of a note of type memories, with its date
//	any other                             note of type memory: properties kind, created, observed,
//	                                      valid_from, valid_to, project, category, tags; the text as it
//	                                      is; relations
//
// Such notes have a mark, the property written_by, and come back as they were written:
// the reader takes only tags and dates from the text. The writer never replaces notes
// without the mark, or notes that were edited since.
//
//	rule        what it says                                            file        vectors
//	BASICMEM-1  a single note is UTF-8                                  notebook    (tables)
//	BASICMEM-2  properties are one plain YAML mapping, or text          notebook    front-*
//	BASICMEM-3  a note has its title, and its link as its ref           read.go     note-*
//	BASICMEM-4  an observation is a list item with a category           grammar.go  line-*
//	BASICMEM-5  a relation is a list item of a type and a link          grammar.go  line-*
//	BASICMEM-6  notes that Satchel wrote are read as written            own.go      own-*
//	BASICMEM-7  the limits on files, texts, names and counts hold       notebook    limit-*
//	BASICMEM-8  the source holds notes                                  notebook    source-*
//	BASICMEM-9  memories have an owner and a date                       notebook    (tables)
//
// Losses: settings and other hidden files, attachments, rules for assistants, links,
// closed folders, empty notes, notes that are not UTF-8, properties that are not plain
// YAML. Losses of the writer: data without a place in notes, the date of an undated note,
// records that do not hold.
package basicmemory
