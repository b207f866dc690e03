package claudeai

import (
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/conversation"
)

// memories reads the memories of one account: a text about all conversations, one for each
// project, and files.
func (r *exportReader) memories(e *conversation.Export, v canon.Value) (item conversation.Item, err error) {
	if v.Type() != canon.TypeObject {
		return item, e.Fail(conversation.RuleShape, "", errors.New("expected the memories of an account"))
	}
	account := v.Get("account_uuid").Text()
	if account == "" && path.Base(path.Dir(e.Name())) == "memories" {
		account = strings.TrimSuffix(path.Base(e.Name()), ".json")
	}
	if text := v.Get("conversations_memory"); text.Type() == canon.TypeString {
		item.Notes = append(item.Notes, conversation.Note{
			Kind: memory.Semantic, Text: text.Text(), Ref: []string{"memories", account, "conversations"}, Pointer: "/conversations_memory",
		})
	}
	for _, m := range v.Get("project_memories").Members() {
		n := r.of(m.Name, r.projects[m.Name])
		n.Kind, n.Ref, n.Pointer = memory.Semantic, []string{"memories", account, "projects", m.Name}, canon.Pointer("project_memories", m.Name)
		n.Text = r.within(m.Name, m.Value.Text())
		item.Notes = append(item.Notes, n)
	}
	for i, f := range v.Get("memory_files").Items() {
		rest := r.rest(f, "content", "created_at", "updated_at")
		item.Notes = append(item.Notes, conversation.Note{
			Kind: memory.Semantic, Text: f.Get("content").Text(), Ref: []string{"memories", account, "files", f.Get("path").Text()}, Pointer: canon.Pointer("memory_files", strconv.Itoa(i)),
			Made: instant(f.Get("created_at")), Changed: instant(f.Get("updated_at")), Rest: rest,
		})
	}
	return item, nil
}

// of makes a note about a project.
func (r *exportReader) of(id, name string) conversation.Note {
	rest := canon.Object(canon.Member{Name: "project", Value: canon.String(id)})
	return conversation.Note{About: name, Rest: rest}
}

// within adds the project's name to a text, which is true only there.
func (r *exportReader) within(id, text string) string {
	name := r.projects[id]
	switch {
	case text == "":
		return ""
	case name == "":
		return "In a project: " + text
	}
	return "In the project " + name + ": " + text
}

// project reads a project: its description, its instructions and its documents.
func (r *exportReader) project(e *conversation.Export, v canon.Value) (item conversation.Item, err error) {
	id, name := v.Get("uuid"), v.Get("name").Text()
	if id.Type() != canon.TypeString {
		return item, e.Fail(conversation.RuleShape, "/uuid", errors.New("expected the id of a project"))
	}
	if len(r.projects) < e.Limits().Items {
		r.projects[id.Text()] = name
	}
	base := r.of(id.Text(), name)
	base.Made, base.Changed = instant(v.Get("created_at")), instant(v.Get("updated_at"))
	if text := v.Get("description").Text(); text != "" {
		n := base
		n.Kind, n.Text, n.Ref, n.Pointer = memory.Semantic, r.within(id.Text(), text), []string{"projects", id.Text()}, "/description"
		n.Rest = r.rest(v, "uuid", "description", "prompt_template", "docs", "created_at", "updated_at").With("project", id)
		item.Notes = append(item.Notes, n)
	}
	if text := v.Get("prompt_template").Text(); text != "" {
		n := base
		n.Kind, n.Text, n.Ref, n.Pointer = memory.Procedural, r.within(id.Text(), text), []string{"projects", id.Text(), "instructions"}, "/prompt_template"
		item.Notes = append(item.Notes, n)
	}
	for i, d := range v.Get("docs").Items() {
		item.Notes = append(item.Notes, r.document(id, base, i, d))
	}
	return item, nil
}

// document makes a note of a document of a project, under the document's name.
func (r *exportReader) document(id canon.Value, n conversation.Note, i int, d canon.Value) conversation.Note {
	n.Kind, n.Pointer = memory.Semantic, canon.Pointer("docs", strconv.Itoa(i))
	n.Text = d.Get("content").Text()
	if name := d.Get("filename").Text(); name != "" && n.Text != "" {
		n.Text = name + "\n\n" + n.Text
	}
	n.Ref = []string{"projects", id.Text(), "documents", d.Get("uuid").Text()}
	n.Made, n.Changed = instant(d.Get("created_at")), instant(d.Get("updated_at"))
	n.Rest = r.rest(d, "content", "created_at", "updated_at").With("project", id)
	return n
}
