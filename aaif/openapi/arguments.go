package openapi

import (
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// Argument is an argument of an operation, and where a request carries it.
type Argument struct {
	Name    string // among the arguments
	In      string // path, query, header, cookie, body
	Key     string // its name in the request
	Explode bool   // a list becomes one pair for each item; otherwise its items are joined with commas
}

// Arguments describes the arguments of an operation.
type Arguments struct {
	Schema canon.Value // JSON Schema of an object with a member for each argument
	List   []Argument
	Media  string // media type of the body; empty: there is none
	Large  bool   // the schema has more parts than are read, and is not whole
}

// mostParts is the most parts of the schemas of one operation.
const mostParts = 20_000

// Arguments returns the arguments that an operation takes: its parameters by name, and its
// body as "body". Of two with one name, the later one's name ends in its place, such as
// id_query. It follows references within the description.
func (d Description) Arguments(o Operation) Arguments {
	b := arguments{d: d, left: mostParts, defs: map[string]canon.Value{}}
	own := map[string]bool{}
	for _, list := range [][]canon.Value{o.value.Get("parameters").Items(), o.shared.Items()} { // an operation's own stand before those of its path
		for _, p := range list {
			p = d.follow(p)
			if key := p.Get("in").Text() + " " + p.Get("name").Text(); !own[key] && p.Get("name").Text() != "" {
				own[key] = true
				b.parameter(p)
			}
		}
	}
	b.body(d.follow(o.value.Get("requestBody")))
	return b.finish()
}

// Text returns what an operation says about itself.
func (o Operation) Text() string {
	parts := []string{}
	for _, name := range []string{"summary", "description"} {
		if text := o.value.Get(name).Text(); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// Server returns the address of the server of an operation, relative to that of the
// description (nil: it has none). It takes the first server that is listed, with the
// defaults of its variables; nil: there is none.
func (d Description) Server(o Operation, of *url.URL) *url.URL {
	server := canon.Object(canon.Member{Name: "url", Value: canon.String("/")})
	for _, list := range []canon.Value{o.value.Get("servers"), o.servers, d.root.Get("servers")} {
		if list.Len() > 0 {
			server = list.Items()[0]
			break
		}
	}
	text := server.Get("url").Text()
	for _, m := range server.Get("variables").Members() {
		text = strings.ReplaceAll(text, "{"+m.Name+"}", m.Value.Get("default").Text())
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	if of != nil {
		u = of.ResolveReference(u)
	}
	if u.Host == "" {
		return nil
	}
	return u
}

// follow follows references within the description, a few of them.
func (d Description) follow(v canon.Value) canon.Value {
	for range 5 {
		ref := v.Get("$ref").Text()
		if ref == "" {
			return v
		}
		pointer, _ := strings.CutPrefix(ref, "#")
		v, _ = d.root.At(pointer)
	}
	return canon.Value{}
}

// arguments collects arguments.
type arguments struct {
	d        Description
	out      Arguments
	members  []canon.Member
	required []canon.Value
	defs     map[string]canon.Value
	names    []string // of defs, in their order
	left     int      // parts of schemas that may still be read
}

func (b *arguments) add(a Argument, schema canon.Value, required bool) {
	for _, m := range b.members {
		if m.Name == a.Name {
			a.Name += "_" + a.In
			break
		}
	}
	b.out.List = append(b.out.List, a)
	b.members = append(b.members, canon.Member{Name: a.Name, Value: schema})
	if required {
		b.required = append(b.required, canon.String(a.Name))
	}
}

func (b *arguments) parameter(p canon.Value) {
	in := p.Get("in").Text()
	if in != "path" && in != "query" && in != "header" && in != "cookie" {
		return
	}
	schema := p.Get("schema")
	if content := p.Get("content").Members(); len(content) > 0 {
		schema = content[0].Value.Get("schema")
	}
	schema = b.rewritten(schema)
	if text := p.Get("description"); text.Type() == canon.TypeString && schema.Type() == canon.TypeObject && !schema.Has("description") {
		schema = schema.With("description", text)
	}
	name := p.Get("name").Text()
	explode := in == "query" || in == "cookie"
	if said := p.Get("explode"); said.Type() == canon.TypeBool {
		explode = said.True()
	}
	b.add(Argument{Name: name, In: in, Key: name, Explode: explode}, schema, in == "path" || p.Get("required").True())
}

// body adds the body, if there is one that is written in JSON.
func (b *arguments) body(v canon.Value) {
	for _, m := range v.Get("content").Members() {
		media, _, _ := strings.Cut(m.Name, ";")
		if media == "application/json" || strings.HasSuffix(media, "+json") || media == "*/*" {
			if b.out.Media = media; media == "*/*" {
				b.out.Media = "application/json"
			}
			b.add(Argument{Name: "body", In: "body"}, b.rewritten(m.Value.Get("schema")), v.Get("required").True())
			return
		}
	}
}

func (b *arguments) finish() Arguments {
	schema := canon.Object(
		canon.Member{Name: "type", Value: canon.String("object")},
		canon.Member{Name: "properties", Value: canon.Object(b.members...)},
		canon.Member{Name: "additionalProperties", Value: canon.Bool(false)})
	if len(b.required) > 0 {
		schema = schema.With("required", canon.Array(b.required...))
	}
	if len(b.names) > 0 {
		var defs []canon.Member
		for _, name := range b.names {
			defs = append(defs, canon.Member{Name: name, Value: b.defs[name]})
		}
		schema = schema.With("$defs", canon.Object(defs...))
	}
	b.out.Schema = schema
	return b.out
}

const components = "#/components/schemas/"

// rewritten returns a schema of the description as JSON Schema of 2020-12: what OpenAPI
// 3.0 writes in another way is written anew, and references lead to $defs.
func (b *arguments) rewritten(v canon.Value) canon.Value {
	if b.left--; b.left < 0 {
		b.out.Large = true
		return canon.Object()
	}
	switch v.Type() {
	case canon.TypeUndefined:
		return canon.Object()
	case canon.TypeArray:
		items := make([]canon.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = b.rewritten(item)
		}
		return canon.Array(items...)
	case canon.TypeObject:
	default:
		return v
	}
	out := make([]canon.Member, 0, v.Len())
	for _, m := range v.Members() {
		name, isRef := strings.CutPrefix(m.Value.Text(), components)
		switch {
		case m.Name == "$ref" && isRef:
			b.define(name)
			m.Value = canon.String("#/$defs/" + name)
		case m.Name == "$ref" && m.Value.Type() == canon.TypeString:
			continue // it stands elsewhere, which is not followed
		case m.Name == "nullable" && m.Value.Type() == canon.TypeBool, m.Name == "example" || m.Name == "xml":
			continue
		case (m.Name == "exclusiveMinimum" || m.Name == "exclusiveMaximum") && m.Value.Type() == canon.TypeBool:
			continue
		case m.Name == "minimum" && v.Get("exclusiveMinimum").True():
			m.Name = "exclusiveMinimum"
		case m.Name == "maximum" && v.Get("exclusiveMaximum").True():
			m.Name = "exclusiveMaximum"
		case m.Name == "type" && m.Value.Type() == canon.TypeString && v.Get("nullable").True():
			m.Value = canon.Array(m.Value, canon.String("null"))
		default:
			m.Value = b.rewritten(m.Value)
		}
		out = append(out, m)
	}
	return canon.Object(out...)
}

// define adds a schema of the description to $defs, once. The name is that of a reference.
func (b *arguments) define(name string) {
	plain := strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	if _, ok := b.defs[plain]; ok {
		return
	}
	b.defs[plain] = canon.Object() // references may lead in a circle
	b.names = append(b.names, plain)
	b.defs[plain] = b.rewritten(b.d.root.Get("components").Get("schemas").Get(plain))
}
