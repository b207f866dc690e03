package aicffile

import (
	"io/fs"
	"os"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// Write replaces all of a file with contents, or nothing; it packs the file if its
// name ends in .aicf.gz. Only the owner can read a new file; a replaced file keeps
// its mode (AICF-ACC-1). It returns the data that the format cannot hold.
func Write(path string, c *aicf.Contents, how aicf.WriteOptions, o Options) ([]codec.Loss, error) {
	losses, err := underLock(path, o, func(l *lock) ([]codec.Loss, error) {
		data, losses, err := aicf.Encode(c, how)
		if err == nil {
			_, err = l.place(path, data)
		}
		return losses, err
	})
	return losses, o.logged("write", path, err)
}

// place replaces a file with data, packed if its name says so, and returns the new
// size of the file.
func (l *lock) place(path string, data []byte) (int, error) {
	data, err := packedFor(path, data)
	if err == nil {
		err = l.letReplace()
	}
	if err == nil {
		err = atomicfile.Write(path, modeOf(path), data)
	}
	return len(data), err
}

// modeOf returns the mode of a file, or for a new file one for its owner alone.
func modeOf(path string) fs.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}
