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
// What becomes of a note:
//
//	note                           semantic; one named by a day episodic, observed that day
//	note of more than 4,000 bytes  one memory for what stands before its first top heading, one for each of them
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
// a note that was edited replaces what was imported of it before. What was taken out of a
// note, or a note that is gone, stays remembered until it is forgotten.
//
// The residue, body.structured.obsidian, is the path, the properties as they are spelled,
// the blank space around the text, which sections follow, and a sum over the text, which
// shows whether it was edited.
//
// Written, a note that comes from a vault is as it was, byte for byte, while none of its
// memories was edited and all are there. Every other memory becomes a note in the folder
// Memories, or in the place of the note it comes from:
//
//	written_by                                  the mark of notes that are written from here
//	kind, created, observed, valid_from, valid_to, project, tags, aliases, the other properties
//	<type of a relation>                        list of links to the entities
//	text                                        all that follows, as it is
//
// Such a note is read as it was written: nothing is read out of its text. Notes without
// the mark, and notes that were edited since they were written, are never replaced.
//
//	rule        what it says                                             file         vectors
//	OBSIDIAN-1  a single note is UTF-8                                   notebook     (tables)
//	OBSIDIAN-2  properties are one plain YAML mapping, or say nothing    notebook     front-*
//	OBSIDIAN-3  a note is a memory, a long one several                   read.go      note-*
//	OBSIDIAN-4  tags, fields and links stand outside code and comments   body.go      text-*
//	OBSIDIAN-5  a note named by a day is of that day                     settings.go  day-*
//	OBSIDIAN-6  notes that were written from here are as written         own.go       own-*
//	OBSIDIAN-7  the limits on files, texts, names and counts hold        notebook     limit-*
//	OBSIDIAN-8  the source holds notes                                   notebook     source-*
//	OBSIDIAN-9  memories have an owner and a date                        notebook     (tables)
//
// Losses: settings and other hidden files, attachments and canvases, templates, rules for
// assistants, links, closed folders, empty notes, notes that are not UTF-8, properties
// that are not plain YAML. Written: what properties have no place for, the date of a note
// that says none, records that do not hold.
package obsidian
