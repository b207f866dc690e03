package basicmemory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// read makes memories of a note: one of its prose, one of each observation and relation.
func read(n *notebook.Note) {
	switch kind := n.Front.Get("type").Text(); {
	case n.Own && kind == listType:
		readList(n)
		return
	case n.Own && kind == memoryType:
		readMemory(n)
		return
	case strings.TrimSpace(n.Body) == "" && n.Front.Len() == 0:
		return
	}
	r := &noteReader{note: n, title: title(n), key: key(n)}
	n.LimitName(r.title, 1)
	n.LimitName(r.key, 1)
	r.source.WriteString(n.Raw)
	masked := markdown.MaskCode(n.Body)
	line, at := n.Line, 0
	for text := range strings.Lines(n.Body) {
		r.line(line, text, masked[at:at+len(text)])
		at += len(text)
		line++
	}
	r.verbatim()
	n.LimitCount("observations and relations", len(r.items))
	r.head()
	for _, it := range r.items {
		n.Add(it.record, fmt.Sprintf("%s#L%d", n.Ref(r.ref()), it.line), it.line)
	}
}

// title returns the title of a note.
func title(n *notebook.Note) string {
	if title := strings.TrimSpace(n.Front.Get("title").Text()); title != "" {
		return title
	}
	return n.Name
}

// key names a note in its folder: by its permanent link, else by its path.
func key(n *notebook.Note) string {
	if link := strings.TrimSpace(n.Front.Get("permalink").Text()); link != "" {
		return link
	}
	return n.Path
}

// item is a memory of one line.
type item struct {
	line   int
	record memory.Record
}

// noteReader collects the memories of a note.
type noteReader struct {
	note       *notebook.Note
	title, key string
	items      []item
	prose      []string
	removed    bool            // the last line that is not blank is not prose
	source     strings.Builder // lines since the last item, unchanged
	parts      []canon.Value   // lines unchanged, and marks of items
}

// ref is the note's name in references; empty: its path.
func (r *noteReader) ref() string {
	if r.key == r.note.Path {
		return ""
	}
	return r.key
}

// line reads a line; masked is the same without code.
func (r *noteReader) line(number int, text, masked string) {
	bare := strings.TrimRight(text, "\r\n")
	if _, ok := parseObservation(strings.TrimRight(masked, "\n")); ok {
		if o, ok := parseObservation(bare); ok {
			r.item(number, text, o.line(), r.observation(o))
			return
		}
	}
	if _, ok := parseRelation(strings.TrimRight(masked, "\n")); ok {
		if rel, ok := parseRelation(bare); ok {
			r.item(number, text, rel.line(), r.relation(rel))
			return
		}
	}
	r.source.WriteString(text)
	if level, words := markdown.Heading(bare); strings.TrimSpace(masked) != "" && level > 0 {
		if level == 1 && strings.EqualFold(words, r.title) || words == "Observations" || words == "Relations" {
			r.removed = true
			return
		}
	}
	if bare != "" || !r.removed || len(r.prose) > 0 && r.prose[len(r.prose)-1] != "" {
		r.prose = append(r.prose, bare)
	}
	r.removed = r.removed && bare == ""
}

// item adds a line that is a memory of its own; usual is the program's spelling of it.
func (r *noteReader) item(number int, text, usual string, record memory.Record) {
	r.verbatim()
	r.removed = true
	line, ended := strings.CutSuffix(text, "\n")
	residue := canon.Object(canon.Member{Name: "note", Value: canon.String(r.key)})
	if line != usual {
		residue = residue.With("line", canon.String(line))
	}
	part := canon.Object(canon.Member{Name: "line", Value: canon.String(markOf(record))})
	if !ended {
		part = part.With("open", canon.Bool(true))
	}
	r.parts = append(r.parts, part)
	r.items = append(r.items, item{number, codec.WithResidue(record, formatName, residue)})
}

// verbatim ends a run of lines that are not items.
func (r *noteReader) verbatim() {
	if r.source.Len() > 0 {
		r.parts = append(r.parts, canon.String(r.source.String()))
	}
	r.source.Reset()
}

// markOf returns a mark that distinguishes a line from the others of its note, without its
// content.
func markOf(r memory.Record) string {
	return markdown.Digest(codec.Structured(r).Get("category").Text() + "\n" + r.Body.Text)
}

// observation makes a memory of an observation.
func (r *noteReader) observation(o observation) memory.Record {
	record := memory.Record{Kind: kindOf(o.category), Body: memory.Body{Text: r.title + ": " + o.content}}
	v := canon.Object(canon.Member{Name: "category", Value: canon.String(o.category)})
	r.note.LimitName(o.category, r.note.Line)
	plain := markdown.MaskCode(o.content)
	if tags := markdown.Tags(plain); len(tags) > 0 {
		v = v.With("tags", markdown.Strings(tags))
	}
	if context := o.context(); context != "" {
		v = v.With("context", canon.String(context))
	}
	record.Body.Structured = v.Append(nil)
	record.Relations = r.links(plain)
	return record
}

// relation makes a memory of a relation.
func (r *noteReader) relation(rel relation) memory.Record {
	r.note.LimitName(rel.target, r.note.Line)
	record := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: rel.sentence(r.title)}}
	if rel.context != "" {
		record.Body.Structured = canon.Object(canon.Member{Name: "context", Value: canon.String(rel.context)}).Append(nil)
	}
	record.Relations = []memory.Relation{
		{Type: memory.About, Target: "entity:" + r.title}, {Type: rel.kind, Target: "entity:" + rel.target},
	}
	return record
}

// links returns the relations of a text: its note's subject and the targets of its links.
func (r *noteReader) links(plain string) []memory.Relation {
	list := []memory.Relation{{Type: memory.About, Target: "entity:" + r.title}}
	for _, link := range markdown.Links(plain) {
		to := memory.Relation{Type: "links_to", Target: "entity:" + link.Target}
		if link.Target != "" && link.Target != r.title && !slices.Contains(list, to) && len(list) <= r.note.Limits.Items {
			r.note.LimitName(link.Target, r.note.Line)
			list = append(list, to)
		}
	}
	return list
}

// head makes the memory of the note itself, which comes first: its prose, or else its
// title. It carries everything of the note that is not in a text.
func (r *noteReader) head() {
	n := r.note
	prose := strings.Trim(strings.Join(r.prose, "\n"), "\n")
	text := r.title
	if strings.TrimSpace(prose) != "" {
		text = "# " + r.title + "\n\n" + prose
	}
	plain := markdown.MaskCode(prose)
	record := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text, Structured: r.labels(plain)}, Relations: r.links(plain)}
	residue := canon.Object(
		canon.Member{Name: "note", Value: canon.String(r.key)},
		canon.Member{Name: "path", Value: canon.String(n.Path)},
		canon.Member{Name: "source", Value: canon.Array(r.parts...)},
		canon.Member{Name: "sum", Value: canon.String(markdown.Digest(text))},
	)
	if n.File.CRLF {
		residue = residue.With("crlf", canon.Bool(true))
	}
	if n.File.Mark {
		residue = residue.With("bom", canon.Bool(true))
	}
	n.Add(codec.WithResidue(record, formatName, residue), n.Ref(r.ref()), n.Line)
}

// labels returns the structured body of a note.
func (r *noteReader) labels(plain string) []byte {
	members := []canon.Member{{Name: "title", Value: canon.String(r.title)}}
	var tags []string
	var rest []canon.Member
	for _, m := range r.note.Front.Members() {
		switch {
		case m.Name == "tags":
			tags = markdown.List(m.Value)
		case m.Name == "type":
			members = append(members, m)
		case m.Name != "title" && m.Name != "permalink" && m.Name != markdown.WrittenBy && !slices.Contains(r.note.Dated, m.Name):
			rest = append(rest, m)
		}
	}
	for i, tag := range tags {
		tags[i] = strings.TrimPrefix(tag, "#")
	}
	for _, tag := range markdown.Tags(plain) {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	r.note.LimitCount("tags", len(tags))
	if len(tags) > 0 {
		members = append(members, canon.Member{Name: "tags", Value: markdown.Strings(tags)})
	}
	if len(rest) > 0 {
		members = append(members, canon.Member{Name: "properties", Value: canon.Object(rest...)})
	}
	return canon.Object(members...).Append(nil)
}
