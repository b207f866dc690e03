package markdown

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// The property by which a note is known that was written by this program. Its value
// begins with the name, and ends in a sum over the note, by which it is seen whether
// somebody has edited it.
const (
	WrittenBy = "written_by"
	Satchel   = "satchel"
	// Unsealed is the value before [Seal] puts in the sum.
	Unsealed = Satchel + " 00000000"
)

// Seal puts the sum into a note whose front matter has the property with the value
// Unsealed.
func Seal(text string) string {
	return strings.Replace(text, Unsealed, Satchel+" "+Digest(text), 1)
}

// Wrote reports whether a note was written by this program, and not edited since.
func Wrote(name string, data []byte) bool { return WroteAt(name, data) }

// WroteAt is Wrote of notes that have the property in an object of their front matter, or
// in one in that: those of the given names.
func WroteAt(name string, data []byte, within ...string) bool {
	if !strings.HasSuffix(name, ".md") {
		return false
	}
	f, err := Parse(data)
	if err != nil {
		return false
	}
	front, _, found, closed := Split(f.Text)
	if !found || !closed || !strings.Contains(front, WrittenBy) {
		return false
	}
	read := FrontMatter(front, codec.Limits{}.Filled())
	v := read.Value
	for _, member := range within {
		v = v.Get(member)
	}
	mark := v.Get(WrittenBy).Text()
	if len(read.Faults) > 0 || !strings.HasPrefix(mark, Satchel) {
		return false
	}
	return Seal(strings.Replace(f.Text, mark, Unsealed, 1)) == f.Text
}

// Place puts a note into a folder, unless a file is there that this program did not
// write, or that was edited since, and that holds something else; then it reports false.
func Place(folder codec.Folder, name string, data []byte) (bool, error) {
	held, err := folder.Held(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	case !Wrote(name, held):
		return bytes.Equal(held, data), nil
	}
	return true, folder.Put(name, data)
}
