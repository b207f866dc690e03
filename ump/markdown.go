package ump

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// MarkdownFormat is *.ump.md (section 6.3): front matter with every member but the
// text, and the text as Markdown. One record per file, or a folder of such files; a
// writer writes one record. [FileName] names the file.
func MarkdownFormat() codec.Format {
	return codec.Format{
		Name:       markdownName,
		Title:      "UMP record (Markdown)",
		Extensions: []string{markdownExtension},
		Detect:     detectMarkdown,
		Open:       openMarkdown,
		Create:     createMarkdown,
		CreateIn:   createNotes,
		Wrote:      wroteNote,
		Validate:   validateMarkdown,
		Whole:      true,
		Declared:   declaredFileLosses(),
	}
}

const delimiter = "---"

var (
	errNoFront  = errors.New(`does not begin with front matter; the first line is "---"`)
	errOpen     = errors.New(`has front matter without an end; close it with a line "---"`)
	errNotUTF8  = errors.New("is not UTF-8; encode the text as UTF-8")
	errOneOnly  = errors.New("ump: a Markdown file holds one record; write each into a file of its own")
	errNoRecord = errors.New("ump: a Markdown file holds one record; none was written")
)

// splitFile separates the front matter of a file from its body. Only the first
// closing delimiter counts: a line "---" in the text is text.
func splitFile(text string) (front, body string, err error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	line, rest, _ := cutLine(text)
	if line != delimiter {
		return "", "", errNoFront
	}
	for start := rest; rest != ""; {
		at := len(start) - len(rest)
		if line, rest, _ = cutLine(rest); line == delimiter {
			return start[:at], rest, nil
		}
	}
	return "", "", errOpen
}

// cutLine returns the first line without its end and trailing white space, and the
// rest.
func cutLine(text string) (line, rest string, more bool) {
	line, rest, more = strings.Cut(text, "\n")
	return strings.TrimRight(line, " \t\r"), rest, more
}

// normalizeText returns the form in which to compare a text with Markdown that people
// may have edited: line ends are LF, and no white space at the ends.
func normalizeText(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.TrimSpace(strings.ReplaceAll(text, "\r", "\n"))
}

// survivesMarkdown reports whether a text comes back unchanged from Markdown alone.
func survivesMarkdown(text string) bool {
	return text == normalizeText(text) && !strings.ContainsFunc(text, func(c rune) bool {
		return unicode.IsControl(c) && c != '\n' && c != '\t'
	})
}

// joinFile makes a record from front matter and Markdown. It takes the exact text in
// the front matter as long as the Markdown agrees with it. Otherwise somebody has
// edited the Markdown, and it takes the Markdown.
func joinFile(front canon.Value, body string) canon.Value {
	inner := front.Get("body")
	if inner.Type() != canon.TypeObject && inner.Type() != canon.TypeUndefined {
		return front // not a record; the decoder says so
	}
	text := normalizeText(body)
	if exact := inner.Get("text"); exact.Type() == canon.TypeString && normalizeText(exact.Text()) == text {
		return front
	}
	return front.With("body", inner.With("text", canon.String(text)))
}

// splitRecord returns the front matter and the text of a record. Its inverse is
// joinFile.
func splitRecord(v canon.Value) (front canon.Value, text string) {
	body := v.Get("body")
	text = body.Get("text").Text()
	if survivesMarkdown(text) {
		body = body.Without("text")
	}
	if body.Len() == 0 {
		return ordered(v.Without("body")), text
	}
	return ordered(v.With("body", body)), text
}

// asRevision turns a signed record that somebody edited into the draft of its
// successor (decision UD-28), and reports the losses. It returns other records
// unchanged. The hash does not show which member was edited. The draft is private, so
// that an edit of the front matter cannot open a record to others; its owner may
// share it again.
func asRevision(v canon.Value) (canon.Value, []codec.Loss) {
	id := memory.ID(v.Get("id").Text())
	written := v.Get("integrity").Get("content_hash").Text()
	if !strings.HasPrefix(written, hashPrefix) || !ValidID(id) || isHash(written, digest(v)) {
		return v, nil
	}
	for _, name := range []string{"integrity", "id", "time", "superseded_by"} {
		v = v.Without(name)
	}
	v = v.With("supersedes", canon.Array(canon.String(string(id))))
	losses := []codec.Loss{{
		ID: id, Pointer: "/integrity",
		Reason: lossEdited,
	}}
	scope := v.Get("scope")
	switch memory.Visibility(scope.Get("visibility").Text()) {
	case memory.Shared, memory.Public:
		v = v.With("scope", scope.With("visibility", canon.String(string(memory.Private))))
		losses = append(losses, codec.Loss{
			ID: id, Pointer: "/scope/visibility",
			Reason: lossOpened,
		})
	}
	return v, losses
}

// decodeMarkdown reads a file.
func (d *decoder) decodeMarkdown(data []byte) (memory.Record, []codec.Loss, error) {
	v, err := d.parseMarkdown(data)
	if err != nil {
		return memory.Record{}, nil, err
	}
	v, losses := asRevision(v)
	d.revision = len(losses) > 0
	r, err := d.fileRecord(v)
	return r, losses, err
}

// parseMarkdown reads a file as a tree.
func (d *decoder) parseMarkdown(data []byte) (canon.Value, error) {
	if int64(len(data)) > d.lim.Record {
		return canon.Value{}, tooLarge(markdownName, d.file, d.lim.Record)
	}
	if !utf8.Valid(data) {
		return canon.Value{}, d.markdownError("UMP-6.1-6", errNotUTF8)
	}
	front, body, err := splitFile(string(data))
	if err != nil {
		return canon.Value{}, d.markdownError("UMP-6.3-1", err)
	}
	v, err := parseFront(front, bounds(d.lim))
	if c, ok := errors.AsType[*canon.Error](err); ok {
		return canon.Value{}, fromCanon(c, markdownName, d.file)
	}
	if err != nil {
		return canon.Value{}, d.markdownError("UMP-4.3-3", err)
	}
	return joinFile(v, body), nil
}

func (d *decoder) markdownError(rule string, err error) error {
	e := &codec.ParseError{Format: markdownName, File: d.file, Rule: rule, Err: err}
	if at, ok := errors.AsType[*lineError](err); ok {
		e.Path = "line " + strconv.Itoa(at.line+1) // after the opening delimiter
	}
	return e
}

// appendMarkdown writes a record as a file.
func appendMarkdown(dst []byte, v canon.Value, asJSON bool) []byte {
	front, text := splitRecord(v)
	dst = append(dst, delimiter+"\n"...)
	dst = appendFront(dst, front, asJSON)
	dst = append(dst, delimiter+"\n\n"...)
	dst = append(dst, text...)
	return append(dst, '\n')
}

// markdownWriter writes the one record of a file.
type markdownWriter struct {
	out     io.Writer
	asJSON  bool
	written bool
	losses  []codec.Loss
	err     error // of the medium
}

var _ codec.Writer = (*markdownWriter)(nil)

func createMarkdown(out io.Writer, opt codec.Options) (codec.Writer, error) {
	return &markdownWriter{out: out, asJSON: opt.FrontMatterJSON}, nil
}

// Write writes the record. It refuses a second one.
func (w *markdownWriter) Write(r memory.Record) error {
	if w.written {
		return &memory.Error{Kind: memory.Unsupported, Op: "write", ID: r.ID, Rule: "UMP-6.3-1", Message: errOneOnly.Error(), Err: errOneOnly}
	}
	v, losses, err := encode(&r)
	if err != nil {
		return err
	}
	w.written, w.losses = true, losses
	_, w.err = w.out.Write(appendMarkdown(nil, v, w.asJSON))
	return w.err
}

// Close fails if no record was written, or not all of it.
func (w *markdownWriter) Close() error {
	if !w.written {
		return errNoRecord
	}
	return w.err
}

// Losses returns the losses of the record.
func (w *markdownWriter) Losses() []codec.Loss { return w.losses }
