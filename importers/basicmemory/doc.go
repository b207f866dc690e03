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
// What becomes of a note:
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
// is <folder>/<permalink>, or <folder>/<path>.md: a note that was edited replaces what was
// imported of it before. An observation has no name that lasts; its ref is the line,
// <folder>/<permalink>#L12. What was taken out of a note stays remembered until it is
// forgotten.
//
// The residue, body.structured.basicmemory, is the note that a memory is of, and the line
// where it is spelled unusually; with the note's own memory the path, the lines that are
// no other memories, marks in place of those that are, and a sum over the text.
//
// Written, a note that comes from such a folder is as it was, byte for byte, while its own
// memory was not edited and all others are there; lines whose memory is not there are left
// out. Every other memory goes into the folder memories:
//
//	a line, about nothing or one entity   list item of a note of type memories, with when it was made
//	any other                             note of type memory: properties kind, created, observed,
//	                                      valid_from, valid_to, project, category, tags; the text as it
//	                                      is; relations
//
// Such notes have a mark, the property written_by, and are read as they were written:
// nothing but tags and dates is read out of a text. Notes without the mark, and notes that
// were edited since they were written, are never replaced.
//
//	rule        what it says                                            file        vectors
//	BASICMEM-1  a single note is UTF-8                                  notebook    (tables)
//	BASICMEM-2  properties are one plain YAML mapping, or say nothing   notebook    front-*
//	BASICMEM-3  a note is called by its title and known by its link     read.go     note-*
//	BASICMEM-4  an observation is a list item with a category           grammar.go  line-*
//	BASICMEM-5  a relation is a list item of a type and a link          grammar.go  line-*
//	BASICMEM-6  notes that were written from here are as written        own.go      own-*
//	BASICMEM-7  the limits on files, texts, names and counts hold       notebook    limit-*
//	BASICMEM-8  the source holds notes                                  notebook    source-*
//	BASICMEM-9  memories have an owner and a date                       notebook    (tables)
//
// Losses: settings and other hidden files, attachments, rules for assistants, links,
// closed folders, empty notes, notes that are not UTF-8, properties that are not plain
// YAML. Written: what notes have no place for, the date of a note that says none, records
// that do not hold.
package basicmemory
