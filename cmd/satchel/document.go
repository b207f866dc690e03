package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/memory"
)

// document is something a person named, and the format it is in. Close it.
type document struct {
	*source.Input
	codec.Format
}

// document opens a file, a folder or standard input. An empty from has the
// format detected.
func (a *app) document(path, from string) (*document, error) {
	in, err := source.Open(path, source.Options{Stdin: a.in})
	if err != nil {
		return nil, err
	}
	if name := bundleWithin(in.Source); name != "" && from == "" {
		err := invalidf("%s is a folder with a bundle in it, %s: name that or another file of it; import alone takes a folder document by document", clean(path), clean(name))
		return nil, errors.Join(err, in.Close())
	}
	f, err := formatOf(in.Source, from)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &document{in, f}, nil
}

// bundleWithin returns the first file of a folder that is a bundle by its name, ""
// where there is none.
func bundleWithin(src codec.Source) string {
	if src.Tree == nil {
		return ""
	}
	for _, ending := range []string{aimem.Extension, aimem.StreamExtension} {
		if found, err := fs.Glob(src.Tree, "*"+ending); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

func formatOf(src codec.Source, from string) (codec.Format, error) {
	if from != "" {
		f, err := formats.Named(from)
		return f, as(exitUsage, err)
	}
	f, err := formats.Detect(src)
	return f, as(exitInvalid, err)
}

// writable returns the format to write, by its name.
func writable(to string) (codec.Format, error) {
	f, err := formats.Named(to)
	if err == nil && f.Create != nil {
		return f, nil
	}
	return f, usagef("%q is not a format that can be written; those are: %s", to, strings.Join(writableNames(), ", "))
}

// formatNames lists the formats that can be read.
func formatNames() []string {
	var names []string
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	return names
}

// writableNames lists the formats that can be written.
func writableNames() []string {
	var names []string
	for _, f := range formats.All() {
		if f.Create != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// read opens the document's records. What no document says is filled in: the
// owner, and the time.
func (d *document) read(a *app, owner memory.DID, project string) (codec.Reader, error) {
	return d.Open(d.Source, codec.Options{Owner: owner, Project: project, Now: a.now})
}

// each hands the records of a document to do, in order.
func each(r memory.Archive, do func(memory.Record) error) error {
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(rec); err != nil {
			return err
		}
	}
}

// digest is the SHA-256 of a document: of a file's bytes, or of a folder's paths
// and contents in order. What steers the reading of it counts too.
func (d *document) digest(steering ...string) (string, error) {
	h := sha256.New()
	for _, s := range steering {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	if d.File != nil {
		_, err := io.Copy(h, io.NewSectionReader(d.File, 0, d.Size))
		return hex.EncodeToString(h.Sum(nil)), err
	}
	left := codec.Limits{}.Filled()
	err := fs.WalkDir(d.Tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if left.Files--; left.Files < 0 {
			return source.ErrTooMany
		}
		f, err := d.Tree.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		inner := sha256.New()
		n, err := io.Copy(inner, io.LimitReader(f, left.Document+1))
		if left.Document -= n; left.Document < 0 {
			return source.ErrTooLarge
		}
		fmt.Fprintf(h, "%d:%s", len(path), path)
		h.Write(inner.Sum(nil))
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// lost tells what did not survive, the same reasons counted together.
func (a *app) lost(losses []codec.Loss) {
	counts := map[string]int{}
	var order []string
	for _, l := range losses {
		if counts[l.Reason] == 0 {
			order = append(order, l.Reason)
		}
		counts[l.Reason]++
	}
	for _, reason := range order {
		a.warn("not taken over, %d×: %s", counts[reason], clean(reason))
	}
}

// lines reports whether a UMP document has its records one after the other,
// rather than in an array.
func (d *document) lines() bool {
	head := make([]byte, 512)
	n, err := io.NewSectionReader(d.File, 0, d.Size).Read(head)
	if err != nil {
		return false
	}
	return strings.HasPrefix(strings.TrimLeft(string(head[:n]), "\ufeff \t\r\n"), "{")
}
