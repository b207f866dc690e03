package aimem

import (
	"errors"
	"io"
)

var errBundleClosed = errors.New("the bundle was closed already")

// payload writes what the checksum of the document is computed over.
func (b *Bundle) payload(w io.Writer) error {
	if b.doc == nil {
		return errBundleClosed
	}
	return b.doc.payload(w)
}
