package aicffile

import (
	"io/fs"
	"os"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// Write puts contents in the place of a file, wholly or not at all, packed if its name
// ends in .aicf.gz. A new file is its owner's only; one that is replaced keeps its mode
// (AICF-ACC-1). It returns what the format cannot say.
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

// place puts data in the place of a file, packed if its name says so, and returns how many
// bytes the file has then.
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

// modeOf returns the mode that a file has, or one for its owner alone.
func modeOf(path string) fs.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}
