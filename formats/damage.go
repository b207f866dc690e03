package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostExamined is how many files of a folder are examined for damage.
const mostExamined = 50

// damage says what keeps a source, or the first such file of a folder, from being read; empty:
// nothing that shows at its beginning.
func damage(src codec.Source) string {
	if src.Tree == nil {
		if said := damageOf(src); said != "" {
			return ": it " + said
		}
		return ""
	}
	entries, err := fs.ReadDir(src.Tree, ".")
	if err != nil {
		return ""
	}
	for _, entry := range entries[:min(len(entries), mostExamined)] {
		if said := damageIn(src, entry); said != "" {
			return fmt.Sprintf(": %q in it %s", entry.Name(), said)
		}
	}
	return ""
}

// damageIn is damageOf for a file of a folder.
func damageIn(src codec.Source, entry fs.DirEntry) string {
	if !entry.Type().IsRegular() {
		return ""
	}
	f, err := src.Tree.Open(entry.Name())
	if err != nil {
		return ""
	}
	defer f.Close()
	part, err := within(src, entry.Name(), f)
	if err != nil {
		return ""
	}
	return damageOf(part)
}

// damageOf says what is wrong at the beginning of a file.
func damageOf(src codec.Source) string {
	if src.File == nil {
		return ""
	}
	head, err := src.Head()
	deepest := codec.Limits{}.Filled().Depth
	broken, isJSON := errors.AsType[*canon.Error](canon.Check(bytes.TrimPrefix(head, []byte("\ufeff")), canon.Options{Depth: deepest}))
	switch {
	case err != nil:
	case len(head) == 0:
		return "is empty"
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")), isWide(head):
		return "is in UTF-16; save it as UTF-8"
	case isJSON && broken.Kind == canon.TooDeep:
		return fmt.Sprintf("has brackets nested more than %d deep", deepest)
	}
	return ""
}

// isWide reports whether a text begins with two characters of ASCII in UTF-16, without a
// mark before them.
func isWide(head []byte) bool {
	isText := func(c byte) bool { return c >= ' ' && c < 0x7f || c == '\t' || c == '\n' || c == '\r' }
	if len(head) < 4 {
		return false
	}
	return isText(head[0]) && isText(head[2]) && head[1] == 0 && head[3] == 0 || isText(head[1]) && isText(head[3]) && head[0] == 0 && head[2] == 0
}
