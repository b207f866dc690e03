package codec

import "io/fs"

// Peeker is a folder that notes which of its files are read.
type Peeker interface {
	fs.FS
	// Peek opens a file without a note, to look at its beginning.
	Peek(name string) (fs.File, error)
}

// Peek opens a file of a folder to decide whether to read it.
func Peek(tree fs.FS, name string) (fs.File, error) {
	if p, ok := tree.(Peeker); ok {
		return p.Peek(name)
	}
	return tree.Open(name)
}
