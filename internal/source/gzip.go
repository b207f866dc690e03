package source

import (
	"compress/gzip"
	"io"
)

// gunzip replaces a compressed file by its content, with all members one after the other.
// It ignores the names in gzip files.
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
