package codec

// Folder takes the files of a document that is a folder. Paths are relative to it, with
// slashes, and never lead out of it.
type Folder interface {
	// Put puts a file in place, wholly or not at all. What was not put does not belong to
	// the document, even if it is there as it would be put.
	Put(name string, data []byte) error
	// Held returns what a file holds now; an error that is fs.ErrNotExist: there is none.
	Held(name string) ([]byte, error)
}
