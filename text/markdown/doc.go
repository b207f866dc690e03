// Package markdown knows what notes in Markdown are made of, whichever program keeps
// them: front matter in YAML, code, headings, links between notes, and names of files.
// It knows as much of Markdown as that takes, line by line.
package markdown
