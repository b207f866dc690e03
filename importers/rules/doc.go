// Package rules reads and writes the files in which coding assistants keep rules and
// memories in the folder of a project: those of Cursor, Windsurf and GitHub Copilot, and
// the memory bank of Cline. The files are Markdown, most with properties before the text. A
// table, tool.go, says which files a tool has, and what its properties mean.
//
//	cursor    .cursorrules  .cursor/rules/**/*.mdc and **/RULE.md                       description, globs, alwaysApply
//	windsurf  .windsurfrules  .windsurf/rules/**/*.md  global_rules.md, memories/*.md  trigger, description, globs
//	copilot   .github/copilot-instructions.md  .github/instructions/**/*.instructions.md  applyTo, description
//	cline     memory-bank/**/*.md  .clinerules, .clinerules/*.md and *.txt            none
//
// ** is folders at any depth. Cursor and Windsurf also read the rules of folders in the
// project, such as packages/web/.cursor/rules; the package does so if the project has rules
// of its own. It does not enter hidden folders, node_modules and vendor.
//
// A source is one such file, a project's folder, or the tool's own folder in it. The package
// reads the files of one tool and leaves all others alone. AGENTS.md and CLAUDE.md are read
// by package claudecode.
//
//	rules                     procedural
//	projectbrief, productContext, systemPatterns, techContext, other files of the memory bank  semantic
//	activeContext, progress   working
//	a file of more than 4,000 bytes  one memory for the text before its first top heading, one for each of them
//	properties                body.structured.properties; applyTo is called globs, as elsewhere
//
// Which project the rules are for is in no file: the caller names it. A file that Satchel
// wrote says it, in the property project. A file's ref is <folder>/<path>.
//
// The residue, body.structured.<tool>, is the file's path in the project's folder, and what
// package notebook needs to write it again byte for byte. Every other memory becomes a file
// among the tool's rules, with the properties of Satchel's notes (see package notebook). For
// Cline, rules and identity become files in .clinerules, others in memory-bank, as all do in a
// project where .clinerules is a file.
// What the tool needs to use it is added: rules and identity always apply, others where the
// assistant finds their description fit.
//
//	rule    what it says                                        file         vectors
//	…-1     a single file is UTF-8                              notebook     (tables)
//	…-2     properties are one plain YAML mapping, or text      notebook     front-*
//	…-3     a file is a memory, a long one several              read.go      file-*
//	…-7     the limits on files, texts, names and counts hold   notebook     (tables)
//	…-8     the source holds files of the tool                  find.go      (tables)
//	…-9     memories have an owner and a date                   notebook     (tables)
//
// Losses: all other files in the tool's folders, such as prompts, workflows, settings and the
// memories that Windsurf keeps in its own binary form; empty files, files that are not UTF-8, properties that are not plain YAML. Losses
// of the writer: data without a place in properties, the date of an undated file, records
// that do not hold.
package rules
