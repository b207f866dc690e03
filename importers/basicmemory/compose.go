package basicmemory

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// folder holds the notes that Satchel writes itself.
const folder = "memories"

// The most that one list holds.
const (
	mostLines = 500
	mostBytes = 256 << 10
)

// entry is a record as a line of a list.
type entry struct {
	record memory.Record
	line   string
}

// compose makes notes of records. Records that fit on a line go into lists by subject; each
// of the others gets its own note.
func compose(records []memory.Record) ([]notebook.Draft, error) {
	lists := map[list][]entry{}
	var order []list
	var drafts []notebook.Draft
	for _, r := range records {
		of := list{project: r.Scope.Project}
		if len(r.Relations) > 0 {
			of.about = about(r)
		}
		if line, ok := of.line(r); ok && len(line) < mostBytes {
			if lists[of] == nil {
				order = append(order, of)
			}
			lists[of] = append(lists[of], entry{r, line})
			continue
		}
		d, err := single(r)
		if err != nil {
			return nil, err
		}
		drafts = append(drafts, d)
	}
	for _, of := range order {
		made, err := of.drafts(lists[of])
		if err != nil {
			return nil, err
		}
		drafts = append(drafts, made...)
	}
	return drafts, nil
}

// drafts makes the notes of a list, observations before relations, by the date of their
// making.
func (l list) drafts(entries []entry) ([]notebook.Draft, error) {
	isRelation := func(e entry) int { return len(e.record.Relations) / 2 }
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(isRelation(a)-isRelation(b), a.record.Time.Created.Compare(b.record.Time.Created), strings.Compare(a.line, b.line))
	})
	var drafts []notebook.Draft
	for from := 0; from < len(entries); {
		to, size := from, 0
		for to < len(entries) && to-from < mostLines && size < mostBytes {
			size += len(entries[to].line)
			to++
		}
		d, err := l.draft(entries[from:to], len(drafts)+1)
		if err != nil {
			return nil, err
		}
		drafts, from = append(drafts, d), to
	}
	return drafts, nil
}

// draft makes a note of lines, as note number number of its list.
func (l list) draft(entries []entry, number int) (notebook.Draft, error) {
	title := l.title()
	if number > 1 {
		title += fmt.Sprintf(" %d", number)
	}
	front := opening(title, listType, slug(title))
	for _, m := range []struct{ name, value string }{{"about", l.about}, {"project", l.project}} {
		if m.value != "" {
			front = front.With(m.name, canon.String(m.value))
		}
	}
	var text strings.Builder
	var d notebook.Draft
	section := ""
	for _, e := range entries {
		head := "\n## Observations\n"
		if len(e.record.Relations) == 2 {
			head = "\n## Relations\n"
		}
		if head != section {
			section = head
			text.WriteString(head)
		}
		text.WriteString(e.line + "\n")
		d.Records = append(d.Records, e.record)
	}
	rendered, err := markdown.Render(front)
	d.Path = folder + "/" + markdown.FileName(title) + ".md"
	d.File.Text = markdown.Seal(rendered + "\n# " + markdown.FileName(title) + "\n" + text.String())
	return d, err
}

// title returns the title of a list.
func (l list) title() string {
	title := markdown.FileName(cmp.Or(l.about, "Memories"))
	if l.project != "" {
		title += " (" + markdown.FileName(path.Base(l.project)) + ")"
	}
	return title
}

func opening(title, kind, link string) canon.Value {
	return canon.Object(
		canon.Member{Name: markdown.WrittenBy, Value: canon.String(markdown.Unsealed)},
		canon.Member{Name: "title", Value: canon.String(title)},
		canon.Member{Name: "type", Value: canon.String(kind)},
		canon.Member{Name: "permalink", Value: canon.String(folder + "/" + cmp.Or(link, "memory"))},
	)
}

// single makes a note of one record.
func single(r memory.Record) (notebook.Draft, error) {
	title := markdown.Title(r.Body.Text)
	front := opening(title, memoryType, slug(title)+"-"+markdown.Digest(r.Body.Text))
	for _, m := range slices.Concat(notebook.Properties(r), labelsOf(r).Members()) {
		front = front.With(m.Name, m.Value)
	}
	lines := ""
	for _, rel := range r.Relations {
		to, ok := strings.CutPrefix(rel.Target, "entity:")
		made := relation{kind: rel.Type, target: to}
		if again, read := parseRelation(made.line()); ok && read && again == made {
			lines += made.line() + "\n"
		}
	}
	text := "\n" + r.Body.Text + "\n"
	if lines != "" || strings.Contains(text, relationsHead) {
		text = "\n" + r.Body.Text + relationsHead + lines
	}
	rendered, err := markdown.Render(front)
	return notebook.Draft{
		Path: folder + "/" + title + ".md", Records: []memory.Record{r},
		File: markdown.File{Text: markdown.Seal(rendered + text)},
	}, err
}
