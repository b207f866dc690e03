// Package obsidian reads and writes the vaults of Obsidian, as of release 1.9: folders of
// notes in Markdown, with properties in YAML before the text, links between notes, tags,
// and the fields of the plug-in Dataview.
//
//	---
//	tags: [person]
//	aliases: [Nini]
//	boss: "[[Rui]]"
//	---
//	Likes [[Tea|green tea]]. #friend
//	born:: 1990
//
// A note maps to memories as follows:
//
//	note                           semantic; one named by a day episodic, observed that day
//	note of more than 4,000 bytes  one memory for the text before its first top heading, one for each of them
//	text, after "# <name>"         body.text, as it is, with comments, tasks, callouts and block ids
//	tags, #tags                    body.structured.tags
//	aliases                        body.structured.aliases
//	created, modified              time.created, time.observed
//	other properties               body.structured.properties
//	key:: value, [key:: value]     body.structured.fields
//	the note itself                relation about entity:<name>
//	link in a property or field    relation <key> to entity:<name of the note>
//	other [[link]], ![[embed]]     relation links_to or embeds to entity:<name of the note>
//
// Nothing in code or in a comment is a tag, a field or a link. Links to attachments are
// text. A note's ref is <vault>/<path>.md, that of a section <vault>/<path>.md/<heading>:
// an edited note replaces its earlier import. If a part of a note or a whole note
// disappears, its memory stays until somebody forgets it.
//
// The residue, body.structured.obsidian, is the path, the properties as spelled, the blank
// space around the text, the order of the sections, and a sum over the text, which shows
// whether it was edited.
//
// The writer restores a note from a vault byte for byte, if all of its memories are there
// and unedited. Every other memory becomes a note in the folder Memories, or in the place
// of the note that it comes from:
//
//	written_by                                  the mark of notes that Satchel writes
//	kind, created, observed, valid_from, valid_to, project, tags, aliases, the other properties
//	<type of a relation>                        list of links to the entities
//	text                                        all that follows, as it is
//
// Such a note is read as it was written: its text gives no tags, fields or links. The
// writer never replaces notes without the mark, or notes that were edited since.
//
//	rule        what it says                                             file         vectors
//	OBSIDIAN-1  a single note is UTF-8                                   notebook     (tables)
//	OBSIDIAN-2  properties are one plain YAML mapping, or text           notebook     front-*
//	OBSIDIAN-3  a note is a memory, a long one several                   read.go      note-*
//	OBSIDIAN-4  tags, fields and links stand outside code and comments   body.go      text-*
//	OBSIDIAN-5  a note named by a day is of that day                     settings.go  day-*
//	OBSIDIAN-6  notes that Satchel wrote are read as written             own.go       own-*
//	OBSIDIAN-7  the limits on files, texts, names and counts hold        notebook     limit-*
//	OBSIDIAN-8  the source holds notes                                   notebook     source-*
//	OBSIDIAN-9  memories have an owner and a date                        notebook     (tables)
//
// Losses: settings and other hidden files, attachments and canvases, templates, rules for
// assistants, links, closed folders, empty notes, notes that are not UTF-8, properties
// that are not plain YAML. Losses of the writer: data without a place in properties, the
// date of an undated note, records that do not hold.
package obsidian
