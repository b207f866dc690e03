package atomicfile

import (
	"io"
	"io/fs"
)

// ErrTwice exports errTwice to the external tests.
var ErrTwice = errTwice

// Replace exports replace to the external tests.
func Replace(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	return replace(path, mode, fill)
}
