// Package claudecode reads and writes what Claude Code, as of release 2.1, keeps in
// plain files: the notes of its memory folders, and the rules in CLAUDE.md and
// AGENTS.md. The layout of the notes is not documented by its
// maker, so unknown keys are kept and other files in the folder are losses, not
// errors.
//
// A source is one such file, or a folder. In a folder these are read, if there:
//
//	CLAUDE.md  CLAUDE.local.md  .claude/CLAUDE.md  AGENTS.md           rules
//	.  memory  */memory  projects/*/memory  .claude/projects/*/memory  notes
//
// of the latter only folders that hold a MEMORY.md or a note with a type. Other
// folders are not searched: rules of a subfolder are imported by naming it.
//
//	note of type user               identity, in every project
//	note of type feedback           procedural
//	note of any other type          semantic
//	bullet or paragraph of rules    procedural
//	line of MEMORY.md               semantic, unless it points to a note that is there
//
// A note's text is its body and, where the body does not say it, its
// description. It is about entity:<file name without .md>; a [[link]] is a
// relation links_to to the entity of that name, in lower case with dashes. Its
// residue, body.structured.claudecode, is the file's name and the front matter, and how
// the file is spelled where a note would not be written so.
//
// A rule's text is the bullet or paragraph, after the headings above it – without
// the title, a first-level heading that is alone in its file – and after the line
// that leads in to a list. The residue is the headings, the lead and the kind of
// block. A line that is an import, @path, is replaced by what the file says;
// imports in code are text. A file is taken over once, however often it is
// imported or copied.
//
// No place, line or date is in text or residue, they are in source.ref and
// time.created: a file that has grown gives its old records again, equal to the
// stored ones. A note's ref has no #L: it is <folder of the project>/memory/<file>,
// or <file> where that folder was not in sight, and so a record of the same
// provider, ref and project is of the same note, as it was written then.
//
// A folder is written note by note, in the newer layout, with a line each in MEMORY.md:
// what is about the user is of type user, rules feedback, the rest project. A note that
// was imported comes back byte for byte. Others carry a mark under metadata, a checksum
// of the file; files and lines without it are somebody else's and stay as they are.
//
// Into CLAUDE.md or AGENTS.md a block is written between two marks, and nothing else
// changes: one memory a line, as a quoted string that no text can leave, who the user is
// and the rules first, 32 KiB at most. Read again, it gives those memories back, with
// kind, text and date.
//
//	<!-- satchel:begin -->
//	### Rules
//	- [2025-03-01] "Use tabs."
//	<!-- satchel:end -->
//
//	rule      what it says                                             file            vectors
//	CLAUDE-1  files are UTF-8                                          read.go         utf8-*
//	CLAUDE-2  front matter is one plain YAML mapping                   frontmatter.go  front-*
//	CLAUDE-3  name, description and type of a note are strings         note.go         note-*
//	CLAUDE-4  index lines add nothing to notes that are there          index.go        index-*
//	CLAUDE-5  imports stay inside the folder, at most five deep        rules.go        import-*
//	CLAUDE-6  every bullet and paragraph stands alone                  blocks.go       block-*
//	CLAUDE-7  the limits on files, texts and counts hold               read.go         limit-*
//	CLAUDE-8  the source holds notes or rules                          find.go         source-*
//	CLAUDE-9  records have an owner and a date                         decode.go       (tables)
//	CLAUDE-10 marks enclose one block, or there are none               marks.go        marks-*
//
// Losses: comments, headings with nothing under them, empty notes, what an index says
// of a note beyond the note, notes an
// index points to in vain, imports that cannot be followed, front matter of
// rules, rules and folders that cannot be opened, other files beside the notes,
// lines between the marks that are no memory, and which project a folder of notes
// belonged to: its name does not say it unambiguously. Of records that are written:
// whatever a note or a line does not say, and those that do not hold now.
package claudecode
