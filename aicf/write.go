package aicf

import (
	"bytes"
	"errors"
	"io"

	"github.com/satchel-memory/satchel/codec"
)

// WriteOptions configure writing. The zero value writes version 3.1 in canonical form:
// lines numbered from 1 with line feeds, the version first, every section closed.
type WriteOptions struct {
	Version Version // V31 or V30; zero: V31
	// Preserve writes unchanged parts as they were read: the lines of entries, their order,
	// separators, numbering and line ends, and the version if nothing changed. Without it
	// everything is rendered again.
	Preserve bool
	Limits   // only Line and Field: longer ones are refused
}

// Encode returns the file of c, and what the file cannot say. The same contents give the
// same bytes. The error is a [codec.ParseError] that names the entry, the member and the
// violated requirement.
func Encode(c *Contents, o WriteOptions) ([]byte, []codec.Loss, error) {
	var b bytes.Buffer
	losses, err := EncodeTo(&b, c, o)
	if err != nil {
		return nil, nil, err
	}
	return b.Bytes(), losses, nil
}

// EncodeTo is [Encode] for large files: it writes entry by entry. After an error the caller
// discards what was written.
func EncodeTo(out io.Writer, c *Contents, o WriteOptions) ([]codec.Loss, error) {
	asked := o.Version != 0
	if !asked {
		o.Version = V31
	}
	if o.Version != V31 && o.Version != V30 {
		return nil, refusal("", "version", "AICF-WRITE-1", "only 3.1 and 3.0 are written, not "+o.Version.String())
	}
	w := &writer{dialect: max(c.Dialect, Spec), version: o.Version, asked: asked, limits: o.Limits}
	entries := c.Entries
	if o.Version == V30 {
		entries, w.losses = downgrade(entries)
	}
	if o.Preserve {
		return w.preserve(out, entries, c.Layout, c.Odd)
	}
	return w.canonical(out, entries)
}

// canonical renders everything again.
func (w *writer) canonical(out io.Writer, entries []Entry) ([]codec.Loss, error) {
	w.page = newLineWriter(out, Layout{})
	if err := w.declare(entries); err != nil {
		return nil, err
	}
	for _, e := range entries {
		if _, err := w.entry(e); err != nil {
			return nil, err
		}
	}
	w.end()
	return w.losses, w.page.end()
}

// refusal returns the error for what cannot be written.
func refusal(entry, member, rule, why string) error {
	path := entry
	if member != "" {
		path += " " + member
	}
	return &codec.ParseError{Format: Name, Path: path, Rule: rule, Err: errors.New(why)}
}
