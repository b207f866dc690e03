package engramgo

import (
	"bytes"
	"io"
	"io/fs"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const formatName = "engramgo"

// Format returns the format of engram's export and of its sync folder.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "engram memory server (JSON export, sync folder)",
		Extensions: []string{".json"},
		Detect:     detect,
		Open:       open,
		Validate:   validate,
	}
}

// headBytes is how much of a document is looked at to tell what it is.
const headBytes = 64 << 10

func detect(src codec.Source) codec.Confidence {
	if src.Tree != nil {
		return detectFolder(src.Tree)
	}
	if src.File == nil {
		return codec.No
	}
	head := make([]byte, min(src.Size, headBytes))
	n, err := src.File.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return codec.No
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\ufeff")), " \t\r\n")
	if !bytes.HasPrefix(head, []byte("{")) {
		return codec.No
	}
	if v, err := canon.Parse(head, canon.Options{Bytes: headBytes, Inexact: true}); err == nil {
		if v.Has("observations") && v.Has("sessions") && v.Has("prompts") {
			return codec.Certain
		}
		return codec.No
	}
	for _, name := range []string{`"exported_at"`, `"sessions"`} {
		if !bytes.Contains(head, []byte(name)) {
			return codec.No
		}
	}
	return codec.Likely
}

// detectFolder looks for the manifest of a sync folder.
func detectFolder(tree fs.FS) codec.Confidence {
	raw, err := readFile(tree, manifestName, headBytes)
	if err != nil {
		return codec.No
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: headBytes})
	if err != nil || v.Get("chunks").Type() != canon.TypeArray || v.Get("version").Type() != canon.TypeNumber {
		return codec.No
	}
	return codec.Certain
}
