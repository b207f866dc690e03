package memory

// Archive is a run of records on their way in: a document, a folder, an export.
type Archive interface {
	// Next returns the next record, or io.EOF after the last. Any other error
	// ends the run: the archive is invalid and nothing of it may be kept. The
	// record is the caller's; later calls do not change it.
	Next() (Record, error)
}
