package paste

import "github.com/satchel-memory/satchel/codec"

const formatName = "paste"

// Format returns the format of a pasted list of memories.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "Pasted list of memories ([date] - memory, or a list)",
		Extensions: []string{".txt", ".md"},
		Detect:     detect,
		Open:       open,
		Create:     create,
		Validate:   validate,
		Declared:   declared(),
	}
}
