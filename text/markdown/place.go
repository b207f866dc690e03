package markdown

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// The property that marks a note written by this program. Its value begins with the
// program's name and ends in a sum over the note, which shows whether somebody has edited
// it.
const (
	WrittenBy = "written_by"
	Satchel   = "satchel"
	// Unsealed is the value before [Seal] inserts the sum.
	Unsealed = Satchel + " 00000000"
)

// Seal inserts the sum into a note whose front matter has the property with the value
// Unsealed.
func Seal(text string) string {
	return strings.Replace(text, Unsealed, Satchel+" "+Digest(text), 1)
}

// Mark says where the notes of a kind have the property.
type Mark struct {
	Ending string                    // of their names; empty: .md
	Within string                    // the object of the front matter that has it; empty: none
	Spell  func(front string) string // returns the front matter as YAML; nil: it is YAML
}

// Wrote reports whether this program wrote a note and nobody has edited it since.
func (m Mark) Wrote(name string, data []byte) bool {
	if !strings.HasSuffix(name, cmp.Or(m.Ending, ".md")) {
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
	if m.Spell != nil {
		front = m.Spell(front)
	}
	read := FrontMatter(front, codec.Limits{}.Filled())
	v := read.Value
	if m.Within != "" {
		v = v.Get(m.Within)
	}
	mark := v.Get(WrittenBy).Text()
	if len(read.Faults) > 0 || !strings.HasPrefix(mark, Satchel) {
		return false
	}
	return Seal(strings.Replace(f.Text, mark, Unsealed, 1)) == f.Text
}

// Place writes a note into a folder. If the file exists, differs, and was written by
// somebody else or edited since, Place leaves it and reports false.
func (m Mark) Place(folder codec.Folder, name string, data []byte) (bool, error) {
	held, err := folder.Held(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	case !m.Wrote(name, held):
		return bytes.Equal(held, data), nil
	}
	return true, folder.Put(name, data)
}
