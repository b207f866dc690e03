package aaif_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

//go:generate go test . -run ^TestMembersPage$ -update

var update = flag.Bool("update", false, "write docs/aaif-members.md anew")

// TestMembersPage: docs/aaif-members.md lists what the schemas have.
func TestMembersPage(t *testing.T) {
	const path = "../docs/aaif-members.md"
	want := membersPage(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("AAIF-4-1: %s is not what the schemas have (%v): go generate ./aaif writes it", path, err)
	}
	for _, row := range []string{"`agent.model.fallbacks[].provider` | string | yes", "`agent.tools[].name` | string | yes", "`conversation[].role` | string | yes", "`platform.name` | string | yes"} {
		if !strings.Contains(want, row) {
			t.Errorf("AAIF-4-1: there is no row %q", row)
		}
	}
}

func membersPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Members of agent documents\n\nWhat definitions, checkpoints and manifests hold, by the schemas that `satchel agent validate` judges by. This page is written by `go generate ./aaif`; do not edit it.\n" +
		"[agents.md](agents.md) says what they are for.\n\n`[]` stands behind the name of a list whose items are meant. What is not listed is refused, except members of the document itself that begin with `x-`. Defaults are what is meant where a member is left out; nothing writes them.\n")
	for _, k := range []struct {
		kind  aaif.Kind
		title string
	}{{aaif.AgentKind, "Definition of an agent"}, {aaif.StateKind, "Checkpoint of a run"}, {aaif.ManifestKind, "Manifest of a platform"}} {
		schema, err := canon.Parse(aaif.Schema(k.kind), canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := page{defs: schema.Get("$defs")}
		p.object(schema, "")
		fmt.Fprintf(&b, "\n## %s\n\n%s", k.title, p.table())
		if c := p.defs.Get("condition"); c.Len() > 0 {
			p.rows = nil
			p.object(c, "")
			b.WriteString("\n### Condition\n\nA text, which only people understand, or an object:\n\n" + p.table())
		}
	}
	return b.String()
}

// page gathers the rows of a table.
type page struct {
	defs canon.Value
	rows []row
}

type row struct{ name, typ, required, says string }

func (p *page) table() string {
	var b strings.Builder
	b.WriteString("| member | type | required | what it may be |\n|---|---|---|---|\n")
	for _, r := range p.rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.name, r.typ, r.required, strings.ReplaceAll(r.says, "|", "\\|"))
	}
	return b.String()
}

// object adds a row for each member of an object, then what these hold.
func (p *page) object(schema canon.Value, at string) {
	var required []string
	for _, name := range schema.Get("required").Items() {
		required = append(required, name.Text())
	}
	for _, m := range schema.Get("properties").Members() {
		s, ref := p.resolved(m.Value)
		r := row{name: "`" + at + m.Name + "`", typ: typeOf(s, ref), says: says(s, ref)}
		if slices.Contains(required, m.Name) {
			r.required = "yes"
		}
		if last := len(p.rows) - 1; last >= 0 && r.says == "" && !holds(s) && p.rows[last].typ == r.typ && p.rows[last].says == "" && p.rows[last].required == r.required && strings.HasPrefix(p.rows[last].name, "`"+at) && !strings.ContainsAny(strings.TrimPrefix(p.rows[last].name, "`"+at), ".[") {
			p.rows[last].name += ", `" + m.Name + "`"
			continue
		}
		p.rows = append(p.rows, r)
		if ref == "condition" {
			continue
		}
		if items := s.Get("items"); items.Type() == canon.TypeObject {
			p.object(items, at+m.Name+"[].")
		}
		p.object(s, at+m.Name+".")
	}
}

func holds(s canon.Value) bool {
	return s.Get("properties").Len() > 0 || s.Get("items").Get("properties").Len() > 0
}

func (p *page) resolved(s canon.Value) (canon.Value, string) {
	name, ok := strings.CutPrefix(s.Get("$ref").Text(), "#/$defs/")
	if !ok {
		return s, ""
	}
	return p.defs.Get(name), name
}

func typeOf(s canon.Value, ref string) string {
	switch items := s.Get("items"); {
	case ref == "condition":
		return "[condition](#condition)"
	case s.Has("const"):
		return "`" + s.Get("const").Text() + "`"
	case items.Get("type").Text() == "string" || items.Has("$ref"):
		return "list of strings"
	case items.Type() == canon.TypeObject:
		return "list of objects"
	case s.Get("type").Type() == canon.TypeArray:
		return strings.Join(wordsOf(s.Get("type")), ", ")
	case s.Get("format").Type() == canon.TypeString:
		return s.Get("format").Text()
	}
	if typ := s.Get("type").Text(); typ != "" {
		return typ
	}
	return "anything"
}

func wordsOf(list canon.Value) []string {
	var all []string
	for _, w := range list.Items() {
		all = append(all, w.Text())
	}
	return all
}

// says is what a schema says besides the type.
func says(s canon.Value, ref string) string {
	var parts []string
	if d := s.Get("description").Text(); d != "" && ref != "condition" {
		parts = append(parts, d)
	}
	for _, from := range []canon.Value{s, s.Get("items")} {
		if list := wordsOf(from.Get("enum")); len(list) > 0 {
			parts = append(parts, "`"+strings.Join(list, "` `")+"`"+map[bool]string{true: " or what its registry has"}[ref != ""])
		}
		if form := from.Get("pattern").Text(); form != "" {
			parts = append(parts, map[bool]string{true: "as `3.4.0`", false: "form `" + form + "`"}[form == `^\d+\.\d+\.\d+$`])
		}
	}
	for _, limit := range []struct{ name, text string }{{"minimum", "from %s"}, {"maximum", "to %s"}, {"minLength", "not empty"}, {"minItems", "%s or more"}, {"maxItems", "%s or fewer"}, {"uniqueItems", "each once"}, {"default", "default `%s`"}} {
		if v := s.Get(limit.name); v.Type() != canon.TypeUndefined {
			text := limit.text
			if strings.Contains(text, "%s") {
				text = fmt.Sprintf(text, strings.Trim(string(v.AppendCanonical(nil)), `"`))
			}
			parts = append(parts, text)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "; to ", " to ")
}
