package openapi

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

//go:embed html/*.html
var htmlFiles embed.FS

//go:embed html/docs.css
var style []byte

// Style returns the looks that these pages have besides those of the owner's pages.
func Style() []byte { return slices.Clone(style) }

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").ParseFS(htmlFiles, "html/*.html"))
})

// Pages shows a description to people. It is safe for concurrent use.
type Pages struct {
	info    object
	schemas object
	refused object // responses of refusals
	groups  []group
	byName  map[string]*operation
}

// group is the routes of a binding.
type group struct {
	Name, Text string
	Operations []*operation
}

// operation is a route on a page.
type operation struct {
	Name, Method, Path, Summary, Text string
	Parameters                        []row
	Body                              []form
	Answers                           []answer
	Curl                              string
	Token                             bool // Curl shows one
}

// form is a body in one form.
type form struct {
	Media string
	Rows  []row
	Type  kind
}

// answer is an answer or a refusal.
type answer struct {
	Status, Text string
	Codes        []string
	Forms        []form
	Refused      bool
}

// NewPages returns pages of a description that [Document] made.
func NewPages(description []byte) (*Pages, error) {
	var d struct {
		Info       object
		Tags       []struct{ Name, Description string }
		Paths      map[string]map[string]object
		Components struct{ Schemas, Responses object }
	}
	if err := json.Unmarshal(description, &d); err != nil {
		return nil, err
	}
	p := &Pages{info: d.Info, schemas: d.Components.Schemas, refused: d.Components.Responses, byName: map[string]*operation{}}
	byTag := map[string][]*operation{}
	for path, item := range d.Paths {
		for method, said := range item {
			o := p.operation(strings.ToUpper(method), path, said)
			p.byName[o.Name] = o
			tag := text(said["tags"].(list)[0])
			byTag[tag] = append(byTag[tag], o)
		}
	}
	for _, tag := range d.Tags {
		all := byTag[tag.Name]
		slices.SortFunc(all, func(a, b *operation) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method)) })
		p.groups = append(p.groups, group{Name: tag.Name, Text: tag.Description, Operations: all})
	}
	return p, nil
}

func (p *Pages) operation(method, path string, said object) *operation {
	o := &operation{Name: text(said["operationId"]), Method: method, Path: path, Summary: text(said["summary"]), Text: text(said["description"])}
	parameters, _ := said["parameters"].(list)
	for _, one := range parameters {
		one := one.(object)
		o.Parameters = append(o.Parameters, row{Name: text(one["name"]), Where: text(one["in"]), Text: text(one["description"]), Must: one["required"] == true, Type: p.kindOf(one["schema"])})
	}
	if body, ok := said["requestBody"].(object); ok {
		o.Body = p.forms(body["content"])
	}
	responses, _ := said["responses"].(object)
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		o.Answers = append(o.Answers, p.answer(status, responses[status].(object)))
	}
	needs, _ := said["security"].(list)
	o.Token = len(needs) > 0
	o.Curl = o.curl()
	return o
}

// curl is a command that asks for the operation. Names in braces stand for values.
func (o *operation) curl() string {
	parts := []string{"curl -sS"}
	if o.Method != "GET" {
		parts = append(parts, "-X "+o.Method)
	}
	if o.Token {
		parts = append(parts, `-H "Authorization: Bearer $TOKEN"`)
	}
	if len(o.Body) > 0 {
		parts = append(parts, `-H "Content-Type: `+o.Body[0].Media+`"`, "--data-binary @FILE")
	}
	at, mark := o.Path, "?"
	for _, p := range o.Parameters {
		if p.Where == "query" && p.Must {
			at += mark + p.Name + "={" + p.Name + "}"
			mark = "&"
		}
	}
	return strings.Join(append(parts, `"$SATCHEL`+at+`"`), " ")
}

func (p *Pages) answer(status string, said object) answer {
	name := strings.TrimPrefix(text(said["$ref"]), "#/components/responses/")
	refusal, refused := p.refused[name].(object)
	if refused {
		said = refusal
	}
	a := answer{Status: status, Text: text(said["description"]), Refused: refused}
	if refused {
		a.Codes = codesIn(p.schemas[name])
		return a
	}
	a.Forms = p.forms(said["content"])
	return a
}

// codesIn returns the codes that the schema of a refusal lists.
func codesIn(schema any) []string {
	var found []string
	switch v := schema.(type) {
	case object:
		if codes, ok := v["enum"].(list); ok {
			for _, c := range codes {
				found = append(found, text(c))
			}
		}
		for _, inner := range v {
			found = append(found, codesIn(inner)...)
		}
	case list:
		for _, inner := range v {
			found = append(found, codesIn(inner)...)
		}
	}
	return found
}

func (p *Pages) forms(content any) []form {
	all, _ := content.(object)
	var found []form
	for _, media := range slices.Sorted(maps.Keys(all)) {
		said := all[media].(object)
		schema := said["schema"]
		if items, ok := said["x-item-schema"]; ok {
			schema = items
		}
		found = append(found, form{Media: media, Type: p.kindOf(schema), Rows: p.rows(schema)})
	}
	return found
}

// Index returns the page with all routes.
func (p *Pages) Index() ([]byte, error) {
	shapes := slices.Sorted(maps.Keys(p.schemas))
	return p.page("index", "The interface of this server", struct {
		Info   object
		Groups []group
		Shapes []string
	}{p.info, p.groups, slices.DeleteFunc(shapes, isRefusal)})
}

// isRefusal reports whether a schema is of the refusals with one status.
func isRefusal(name string) bool {
	_, err := strconv.Atoi(name[max(0, len(name)-3):])
	return err == nil
}

// Operation returns the page of a route.
func (p *Pages) Operation(name string) ([]byte, error) {
	o, ok := p.byName[name]
	if !ok {
		return nil, nothing()
	}
	return p.page("operation", o.Summary, o)
}

// Shape returns the page of a schema.
func (p *Pages) Shape(name string) ([]byte, error) {
	schema, ok := p.schemas[name]
	if !ok {
		return nil, nothing()
	}
	whole, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, err
	}
	said, _ := schema.(object)
	return p.page("shape", name, struct {
		Text, JSON string
		Type       kind
		Rows       []row
	}{text(said["description"]), string(whole), p.kindOf(schema), p.rows(schema)})
}

func nothing() error {
	return &memory.Error{Kind: memory.NotFound, Message: "nothing is described under this name; see GET /docs"}
}

func (p *Pages) page(name, title string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := templates().ExecuteTemplate(&b, name+".html", struct {
		Title, Product string
		Data           any
	}{title, text(p.info["title"]) + " " + text(p.info["version"]), data})
	return b.Bytes(), err
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
