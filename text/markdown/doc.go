// Package markdown reads and writes the parts of Markdown notes: front matter in YAML,
// code, headings, links between notes, and file names. It works line by line, for the notes
// of all programs, and knows only as much Markdown as these need.
package markdown
