package cli

import (
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
)

// Source opens what a person named: a file, a folder, an archive or standard input.
func (a *App) Source(path string) (*source.Input, error) {
	return source.Open(path, source.Options{Stdin: a.Stdin(), Known: isKnown})
}

// isKnown reports whether a format reads a source as it is.
func isKnown(src codec.Source) bool {
	_, err := formats.Detect(src)
	return err == nil
}
