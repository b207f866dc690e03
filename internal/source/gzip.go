package source

import (
	"compress/gzip"
	"io"
)

// gunzip puts what a compressed file holds, with all its members one after the other, in
// its place. Names that gzip files carry are not looked at.
func gunzip(in *Input, opt Options) error {
	unpacked, err := gzip.NewReader(io.NewSectionReader(in.File, 0, in.Size))
	if err != nil {
		return unreadable("gzip", "", err)
	}
	b := &budget{left: opt.Limits.Document, packed: in.Size}
	f, err := temporary(in, opt)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, b.read(unpacked))
	if err != nil {
		return unreadable("gzip", "", err)
	}
	in.Name, in.File, in.Size = bare(in.Name), f, n
	return nil
}
