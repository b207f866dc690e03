package gemini

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/satchel-memory/satchel/canon"
)

// mostBefore bounds what stands before the first activity of a page: a style sheet.
const mostBefore = 1 << 20

// page reads a page of activities as the JSON that Takeout writes of the same activities.
// Each is a cell, a div of the class outer-cell, with a head and a body:
//
//	<div class="outer-cell …"><div class="header-cell …"><p>Gemini Apps</p></div>
//	<div class="content-cell … body-1">Prompted how deep<br>May 1, 2026, 10:00:00 AM UTC<br><p>Ten metres.</p></div>
//
// A page that breaks off gives JSON that breaks off. What is no such page gives nothing.
func page(in io.Reader, most int64) io.Reader {
	text := bufio.NewReader(in)
	if !beginsWithTag(text) { // the tokenizer would read all of it for the end of the text
		return bytes.NewReader(nil)
	}
	z := html.NewTokenizer(text)
	z.SetMaxBuf(mostBefore)
	return &pageReader{z: z, most: int(most)}
}

// beginsWithTag looks at the beginning of a text.
func beginsWithTag(text *bufio.Reader) bool {
	head, _ := text.Peek(text.Size())
	return bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))), []byte("<"))
}

type pageReader struct {
	z      *html.Tokenizer
	most   int          // bytes of an activity; of a longer one so much that JSON refuses it
	out    bytes.Buffer // JSON that is still to be read
	err    error        // after out; nil: more follows
	begun  bool         // an activity was written
	before int          // bytes before the first activity
	inBody bool         // its end is to come

	depth      int // of elements div in the present cell; 0: outside of cells
	part       part
	partDepth  int
	head, body strings.Builder
}

// part is a part of a cell.
type part int

const (
	aside part = iota // such as the products
	headPart
	bodyPart
)

// Read implements [io.Reader].
func (r *pageReader) Read(p []byte) (int, error) {
	for r.out.Len() == 0 && r.err == nil {
		r.step()
	}
	if r.out.Len() == 0 {
		return 0, r.err
	}
	return r.out.Read(p)
}

// step reads the next tag or text.
func (r *pageReader) step() {
	kind := r.z.Next()
	raw := string(r.z.Raw())
	if r.depth == 0 && !r.begun {
		r.before += len(raw)
	}
	switch {
	case kind == html.ErrorToken:
		r.end(r.z.Err(), strings.HasPrefix(raw, "<"))
		return
	case r.before > mostBefore:
		r.err = io.EOF
		return
	}
	name, more := r.z.TagName()
	switch tag := string(name); {
	case kind == html.StartTagToken && tag == "div":
		r.open(strings.Fields(attribute(r.z, more, "class")), raw)
	case kind == html.EndTagToken && tag == "div":
		r.close(raw)
	default:
		if tag == "body" {
			r.inBody = kind == html.StartTagToken
		}
		r.keep(raw)
	}
}

// end ends the list, or breaks it off as the page does, which may be within a tag.
func (r *pageReader) end(err error, inTag bool) {
	if errors.Is(err, html.ErrBufferExceeded) && !r.begun && r.depth == 0 {
		err = io.EOF // no such page
	}
	if r.err = err; !errors.Is(err, io.EOF) {
		return
	}
	switch {
	case r.depth > 0, r.begun && (r.inBody || inTag):
		r.separate()
		r.out.WriteString(`{"header"`)
	case r.begun:
		r.out.WriteString("]")
	}
}

func (r *pageReader) separate() {
	mark := ","
	if !r.begun {
		mark = "["
	}
	r.begun = true
	r.out.WriteString(mark)
}

// open reads the beginning of an element div.
func (r *pageReader) open(classes []string, raw string) {
	switch {
	case slices.Contains(classes, "outer-cell"):
		if r.depth > 0 { // something before it was not closed
			r.emit()
		}
		r.depth, r.part = 1, aside
		r.z.SetMaxBuf(r.most)
		return
	case r.depth == 0:
		return
	}
	r.depth++
	switch {
	case r.part != aside:
		r.keep(raw)
	case slices.Contains(classes, "header-cell"):
		r.part, r.partDepth = headPart, r.depth
	case slices.Contains(classes, "content-cell") && !slices.Contains(classes, "mdl-typography--caption") && !slices.Contains(classes, "mdl-typography--text-right"):
		r.part, r.partDepth = bodyPart, r.depth
	}
}

// close reads the end of an element div.
func (r *pageReader) close(raw string) {
	if r.depth == 0 {
		return
	}
	if r.part != aside && r.depth == r.partDepth {
		r.part = aside
	}
	r.keep(raw)
	if r.depth--; r.depth == 0 {
		r.emit()
	}
}

// keep adds to the present part of a cell.
func (r *pageReader) keep(raw string) {
	to := &r.head
	switch r.part {
	case aside:
		return
	case bodyPart:
		to = &r.body
	}
	if to.Len() <= r.most {
		to.WriteString(raw)
	}
}

// emit writes the activity of the present cell.
func (r *pageReader) emit() {
	r.separate()
	a := readActivity(r.body.String())
	v := canon.Object(
		canon.Member{Name: "header", Value: canon.String(plain(r.head.String()))},
		canon.Member{Name: "title", Value: canon.String(a.title)},
		canon.Member{Name: "time", Value: canon.String(a.time)},
	)
	if a.address != "" {
		v = v.With("titleUrl", canon.String(a.address))
	}
	if a.undated {
		v = v.With("undated", canon.Bool(true))
	}
	if a.zone != "" {
		v = v.With("zone", canon.String(a.zone))
	}
	if len(a.files) > 0 {
		v = v.With("attachedFiles", canon.Array(a.files...))
	}
	if strings.TrimSpace(a.answer) != "" {
		v = v.With("safeHtmlItem", canon.Array(canon.Object(canon.Member{Name: "html", Value: canon.String(a.answer)})))
	}
	r.out.Write(v.Append(nil))
	r.head.Reset()
	r.body.Reset()
}
