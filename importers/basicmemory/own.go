package basicmemory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// The types of notes that Satchel writes.
const (
	listType   = "memories" // each observation is a memory that stands alone
	memoryType = "memory"   // the text is one memory
)

// readList makes a memory of each line of a list.
func readList(n *notebook.Note) {
	of := list{about: n.Front.Get("about").Text(), project: n.Front.Get("project").Text()}
	n.LimitName(of.about, 1)
	line, count, others := n.Line, 0, 0
	for text := range strings.Lines(n.Body) {
		text = strings.TrimRight(text, "\n")
		level, _ := markdown.Heading(text)
		if r, ok := of.read(text); ok {
			n.Add(r, fmt.Sprintf("%s#L%d", n.Ref(key(n)), line), line)
			count++
		} else if level == 0 && strings.TrimSpace(text) != "" {
			others++
		}
		line++
	}
	if others > 0 {
		n.Lose(n.Line, fmt.Sprintf("%s%d", lossLines, others))
	}
	n.LimitCount("observations and relations", count)
}

// list holds the common data of the memories of one note.
type list struct{ about, project string }

// read makes a memory of a line. Both kinds of line end in a date; a line that somebody
// added may have none.
func (l list) read(line string) (memory.Record, bool) {
	r := memory.Record{Kind: memory.Semantic, Scope: memory.Scope{Project: l.project}}
	if l.about != "" {
		r.Relations = []memory.Relation{{Type: memory.About, Target: "entity:" + l.about}}
	}
	if o, ok := parseObservation(line); ok {
		if at, ok := memory.ParseInstant(o.context()); ok {
			r.Time.Created = at.UTC()
			o.content = strings.TrimSuffix(o.content, " ("+o.context()+")")
		}
		r.Kind = kindOf(o.category)
		var tags []string
		r.Body.Text, tags = cutTags(o.content)
		var members []canon.Member
		if o.category != categoryOf(r.Kind) {
			members = append(members, canon.Member{Name: "category", Value: canon.String(o.category)})
		}
		if len(tags) > 0 {
			members = append(members, canon.Member{Name: "tags", Value: markdown.Strings(tags)})
		}
		if len(members) > 0 {
			r.Body.Structured = canon.Object(members...).Append(nil)
		}
		return r, r.Body.Text != ""
	}
	rel, ok := parseRelation(line)
	if !ok || l.about == "" {
		return r, false
	}
	if at, ok := memory.ParseInstant(rel.context); ok {
		r.Time.Created, rel.context = at.UTC(), ""
	}
	r.Body.Text = rel.sentence(l.about)
	r.Relations = append(r.Relations, memory.Relation{Type: rel.kind, Target: "entity:" + rel.target})
	return r, true
}

// cutTags removes the tags from the end of a text.
func cutTags(text string) (string, []string) {
	var tags []string
	for {
		at := strings.LastIndex(text, " #")
		if at < 0 || !markdown.IsTag(text[at+2:]) {
			slices.Reverse(tags)
			return text, tags
		}
		text, tags = text[:at], append(tags, text[at+2:])
	}
}

// line spells a record as a line of the list, if it comes back unchanged from there.
func (l list) line(r memory.Record) (string, bool) {
	at := r.Time.Created.UTC().Format(time.RFC3339Nano)
	line := ""
	if len(r.Relations) == 2 {
		to, _ := strings.CutPrefix(r.Relations[1].Target, "entity:")
		line = relation{r.Relations[1].Type, to, at}.line()
	} else {
		labels := labelsOf(r)
		category := labels.Get("category").Text()
		if category == "" {
			category = categoryOf(r.Kind)
		}
		content := r.Body.Text
		for _, tag := range labels.Get("tags").Items() {
			content += " #" + tag.Text()
		}
		line = observation{category, content + " (" + at + ")"}.line()
	}
	again, ok := l.read(line)
	return line, ok && !strings.ContainsAny(line, "\r\n") && l.same(r, again)
}

// same compares the data that a line can hold.
func (l list) same(r, again memory.Record) bool {
	return r.Kind == again.Kind && r.Body.Text == again.Body.Text && r.Scope.Project == again.Scope.Project &&
		slices.Equal(r.Relations, again.Relations) && canon.Equal(labelsOf(r), labelsOf(again)) &&
		r.Time.Created.Equal(again.Time.Created) && notebook.Implied(r.Time)
}

// labelsOf returns those of a record's labels that notes have a place for: category and
// tags.
func labelsOf(r memory.Record) canon.Value {
	v := codec.Structured(r)
	out := canon.Object()
	if category := v.Get("category").Text(); category != "" {
		out = out.With("category", canon.String(category))
	}
	if tags := v.Get("tags"); tags.Type() == canon.TypeArray && tags.Len() > 0 {
		out = out.With("tags", tags)
	}
	return out
}

const relationsHead = "\n\n## Relations\n"

// readMemory makes one memory of a note.
func readMemory(n *notebook.Note) {
	r := n.Record()
	r.Body.Text, r.Relations = cutRelations(strings.TrimPrefix(n.Body, "\n"))
	labels := canon.Object()
	for _, name := range []string{"category", "tags"} {
		if v := n.Front.Get(name); v.Type() != canon.TypeUndefined {
			labels = labels.With(name, v)
			n.LimitCount("tags", v.Len())
		}
	}
	if labels.Len() > 0 {
		r.Body.Structured = labels.Append(nil)
	}
	n.LimitName(n.Front.Get("permalink").Text(), 1)
	n.LimitCount("relations", len(r.Relations))
	for _, rel := range r.Relations {
		n.LimitName(rel.Target, n.Line)
	}
	if strings.TrimSpace(r.Body.Text) != "" {
		n.Add(r, n.Ref(key(n)), n.Line)
	}
}

// cutRelations removes the last section of a body, if it is one of relations.
func cutRelations(body string) (string, []memory.Relation) {
	at := strings.LastIndex(body, relationsHead)
	if at < 0 {
		return strings.TrimSuffix(body, "\n"), nil
	}
	var list []memory.Relation
	for line := range strings.Lines(body[at+len(relationsHead):]) {
		rel, ok := parseRelation(strings.TrimRight(line, "\n"))
		if !ok {
			return strings.TrimSuffix(body, "\n"), nil
		}
		list = append(list, memory.Relation{Type: rel.kind, Target: "entity:" + rel.target})
	}
	return body[:at], list
}
