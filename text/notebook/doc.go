// Package notebook reads folders of notes in Markdown, one note after the other, and
// writes notes into such folders without touching those of others. What a note means is
// said by a [Shape]: one for each program that keeps notes so.
//
// A note that nothing was changed of is written as it was, byte for byte. Any other note
// has a property written_by: a mark by which it is known again, and by which it is seen
// whether somebody has edited it since. Only notes whose mark is right are ever replaced.
package notebook
