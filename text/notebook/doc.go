// Package notebook reads and writes folders of Markdown notes. It reads one note after the
// other, and never touches the notes of other programs when it writes. A [Shape] says what
// a note means: one for each program that keeps such notes.
//
// An unchanged note is written as it was, byte for byte. Any other note has a property
// written_by: a mark that identifies it and shows whether somebody has edited it since.
// Satchel only replaces notes whose mark is right.
package notebook
