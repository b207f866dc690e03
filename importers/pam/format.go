package pam

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const formatName = "pam"

// storeName is the file name of an export's memory store.
const storeName = "memory-store.json"

// Format returns the format of Portable AI Memory.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "Portable AI Memory (PAM 1.0, JSON)",
		Extensions: []string{".pam.json", ".json"},
		Detect:     detect,
		Open:       open,
		Create:     create,
		Validate:   validate,
		Declared:   declared(),
	}
}

// detect looks for the schema that a document states, or for the store in a folder.
func detect(src codec.Source) codec.Confidence {
	if src.Tree != nil {
		inner, done, err := inTree(src, codec.Options{})
		if err != nil || inner.File == nil {
			return codec.No
		}
		defer done()
		return detect(inner)
	}
	head, ok := src.ObjectHead()
	if !ok || !bytes.Contains(head, []byte(`"`+schemaStore)) {
		return codec.No
	}
	if v, err := canon.Parse(head, canon.Options{Bytes: codec.HeadSize + 1, Mend: true}); err == nil {
		switch v.Get("schema").Text() {
		case schemaStore, schemaConversation:
			return codec.Certain
		}
		return codec.No
	}
	return codec.Likely
}

// inTree opens the memory store of a folder. If there is none, File is nil.
func inTree(src codec.Source, opt codec.Options) (inner codec.Source, done func() error, err error) {
	f, err := src.Tree.Open(storeName)
	if errors.Is(err, fs.ErrNotExist) {
		return inner, nil, rules.Violation(ruleShape, "", errors.New("a folder without a "+storeName+"; name the folder of the export, or a file of it"))
	}
	if err != nil {
		return inner, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = few(src.Tree, opt.Limits.Filled().Files)
	}
	if err != nil {
		return inner, nil, errors.Join(err, f.Close())
	}
	inner = codec.Source{Name: storeName, Size: info.Size(), Modified: info.ModTime()}
	if at, ok := f.(io.ReaderAt); ok {
		inner.File = at
		return inner, f.Close, nil
	}
	spool, err := opt.NewSpool()
	if err != nil {
		return inner, nil, errors.Join(err, f.Close())
	}
	inner.File = spool
	inner.Size, err = io.Copy(spool, io.LimitReader(f, opt.Limits.Filled().Document+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return inner, nil, errors.Join(err, spool.Close())
	}
	return inner, spool.Close, nil
}

// few refuses a folder with too many files.
func few(tree fs.FS, most int) error {
	entries, err := fs.ReadDir(tree, ".")
	if err == nil && len(entries) > most {
		return rules.Violation(ruleLimit, "", fmt.Errorf("more than %d files; name a smaller folder, or raise the limit", most))
	}
	return err
}
