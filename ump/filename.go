package ump

import (
	"fmt"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// maxFileName is the longest name in common file systems, in bytes.
const maxFileName = 255

// FileName returns the name of the Markdown file of a record: its id without
// "urn:ump:" (decision UD-28). It percent-encodes colons, which some systems forbid,
// and capital letters, which some do not distinguish, and the first letter of a name that
// Windows reserves. A name that is too long ends in "%_" and the hash of the id, so that it
// stays unique.
func FileName(id memory.ID) (string, error) {
	if !ValidID(id) {
		return "", &memory.Error{Kind: memory.InvalidRecord, Op: "name file", Rule: "UMP-2-3", Message: "the record has no usable id"}
	}
	local := string(id[len(idPrefix):])
	reserved := codec.Reserved(local) != ""
	var name []byte
	for i, c := range []byte(local) {
		if c == ':' || 'A' <= c && c <= 'Z' || reserved && i == 0 {
			name = fmt.Appendf(name, "%%%02X", c)
			continue
		}
		name = append(name, c)
	}
	if len(name)+len(markdownExtension) > maxFileName {
		sum := sum256([]byte(id))
		digits := "%_" + base32Lower.EncodeToString(sum[:])
		name = append(name[:maxFileName-len(markdownExtension)-len(digits)], digits...)
	}
	return string(name) + markdownExtension, nil
}
