package documents

import (
	"errors"
	"io/fs"
	"os"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// beside returns the part of a folder to compare with another path. If the other path
// is an archive, that is the subfolder with the archive's name, if the folder holds
// nothing else.
func beside(a *cli.App, src codec.Source, other string) (codec.Source, error) {
	if src.Tree == nil {
		return src, nil
	}
	entries, err := fs.ReadDir(src.Tree, ".")
	if err != nil || len(entries) != 1 || !entries[0].IsDir() {
		return src, err
	}
	only := entries[0].Name()
	if info, err := os.Stat(other); err != nil || !info.Mode().IsRegular() {
		return src, nil // no archive; reading it reports any other problem
	}
	packed, err := a.Source(other)
	if err != nil {
		return src, nil // reading it reports the error again
	}
	if packed.Tree == nil || packed.Name != only {
		return src, packed.Close()
	}
	tree, err := fs.Sub(src.Tree, only)
	return codec.Source{Name: only, Tree: tree, Modified: src.Modified}, errors.Join(err, packed.Close())
}
