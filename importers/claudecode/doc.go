// Package claudecode reads and writes the plain files of Claude Code, as of release 2.1:
// the notes of its memory folders, and the rules in CLAUDE.md and AGENTS.md. Anthropic does
// not document the layout of the notes, so unknown keys are kept, and other files in the
// folder are losses, not errors.
//
// A source is one such file, or a folder. In a folder the package reads these, if present:
//
//	CLAUDE.md  CLAUDE.local.md  .claude/CLAUDE.md  AGENTS.md           rules
//	.claude/rules, three levels deep, or rules in a folder .claude      rules
//	.  memory  */memory  projects/*/memory  .claude/projects/*/memory  notes
//
// Of the latter it reads only folders that hold a MEMORY.md or a note with a type. It does
// not read the rules of a subfolder, and tells their files: to import them, name the folder.
//
//	note of type user               identity, in every project
//	note of type feedback           procedural
//	note of any other type          semantic
//	bullet or paragraph of rules    procedural
//	line of MEMORY.md               semantic, unless it points to a note that is there
//
// A note's text is its body and, if the body does not contain it, its description. It is
// about entity:<file name without .md>; a [[link]] is a relation links_to to the entity of
// that name, in lower case with dashes. Its residue, body.structured.claudecode, is the
// file's name and the front matter, and the file's spelling if the writer would spell the
// note differently.
//
// A rule's text is the bullet or paragraph, after the headings above it – without
// the title, a first-level heading that is alone in its file – and after the line
// that introduces a list. The residue is the headings, the introduction and the kind of
// block. A line that is an import, @path, is replaced by the content of the file;
// imports in code are text. The reader reads a file once, however often it is
// imported or copied.
//
// Text and residue contain no place, line or date, which are in source.ref and
// time.created: a longer file gives its old records again, equal to the stored ones. A
// note's ref has no #L: it is <folder of the project>/memory/<file>, or <file> if that
// folder is not part of the source. A record of the same provider, ref and project
// therefore comes from the same note, perhaps in an older form.
//
// The writer writes a folder note by note, in the newer layout, with a line each in
// MEMORY.md. Memories about the user have the type user, rules feedback, the rest project.
// An imported note comes back byte for byte. Others carry a mark under metadata, a checksum
// of the file; files and lines without a mark belong to somebody else and stay unchanged.
//
// Into CLAUDE.md or AGENTS.md the writer puts a block between two marks, and changes
// nothing else: one memory a line, as a quoted string that no text can leave. Identity and
// rules come first, and the block has 32 KiB at most. Read again, it gives those memories
// back, with kind, text and date.
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
// Losses: comments, headings with nothing under them, empty notes, words of an index line
// that its note does not have, index lines without their note, imports that cannot be
// followed, rules of subfolders, front matter of rules, rules and folders that cannot be opened, other files
// beside the notes, transcripts of sessions, lines between the marks that are no memory, and the project of a folder
// of notes, which its name does not give unambiguously. Losses of the writer: data of a
// record that a note or a line cannot hold, and records that do not hold now.
package claudecode
