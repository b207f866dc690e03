package openapi

import (
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// MostOperations is the most operations read of a description.
const MostOperations = 1000

// Description holds the operations of an OpenAPI description.
type Description struct {
	Version    string // of OpenAPI
	Operations []Operation
	Schemes    map[string]Scheme // components.securitySchemes, by name
	Skipped    []string          // parts that were not read, for people
	root       canon.Value
}

// Operation is an operation that a tool can call.
type Operation struct {
	ID     string // operationId, or made of method and path
	Method string // upper case
	Path   string
	// Needs lists the alternatives of required schemes, one of which is enough; none:
	// open to all.
	Needs [][]string

	value, shared, servers canon.Value // the operation; parameters and servers of its path
}

// Scheme is a security scheme.
type Scheme struct {
	Type string // apiKey, http, oauth2, openIdConnect, mutualTLS
	In   string // for apiKey: header, query, cookie
	Name string // for apiKey: the name of the header, parameter or cookie
	HTTP string // for http: basic, bearer or another, in lower case
}

var edition = pattern.New(`^3\.[0-9]+(\.[0-9]+)?(-[0-9A-Za-z.]+)?$`)

// Read reads a description. For another document, or another edition than 3, it fails
// with [aaif.OpenAPIVersionUnsupported] (AAIF-4.4-11).
func Read(v canon.Value) (Description, error) {
	version := v.Get("openapi").Text()
	if !edition.MatchString(version) {
		said := "it says of none"
		if old := v.Get("swagger"); old.Type() != canon.TypeUndefined {
			said = "it is of Swagger " + aaif.Shown(old.Text())
		} else if version != "" {
			said = "it is of " + aaif.Shown(version)
		}
		return Description{}, aaif.Violation("openapi", aaif.OpenAPIVersionUnsupported, "4.4-11", "/openapi", "a description of OpenAPI 3 is wanted, and %s", said)
	}
	d := Description{Version: version, Schemes: map[string]Scheme{}, root: v}
	for _, m := range v.Get("components").Get("securitySchemes").Members() {
		s := m.Value
		d.Schemes[m.Name] = Scheme{Type: s.Get("type").Text(), In: s.Get("in").Text(), Name: s.Get("name").Text(), HTTP: strings.ToLower(s.Get("scheme").Text())}
	}
	for _, path := range v.Get("paths").Members() {
		if path.Value.Has("$ref") {
			d.leave(path.Name + ": it stands elsewhere ($ref), which is not followed")
		}
		for _, m := range path.Value.Members() {
			if isMethod(m.Name) {
				d.add(path, m)
			}
		}
	}
	return d, nil
}

// isMethod reports whether a member of a path is an operation.
func isMethod(name string) bool {
	switch name {
	case "get", "put", "post", "delete", "options", "head", "patch", "trace", "query":
		return true
	}
	return false
}

func (d *Description) add(path, m canon.Member) {
	o := Operation{ID: m.Value.Get("operationId").Text(), Method: strings.ToUpper(m.Name), Path: path.Name,
		value: m.Value, shared: path.Value.Get("parameters"), servers: path.Value.Get("servers")}
	if o.ID == "" {
		o.ID = m.Name + "_" + path.Name
	}
	if len(d.Operations) == MostOperations {
		d.leave("more operations than are read")
		return
	}
	security := d.root.Get("security")
	if own := m.Value.Get("security"); own.Type() != canon.TypeUndefined {
		security = own
	}
	for _, way := range security.Items() {
		var names []string
		for _, scheme := range way.Members() {
			names = append(names, scheme.Name)
		}
		if len(names) == 0 { // no scheme is an alternative, too
			o.Needs = nil
			break
		}
		o.Needs = append(o.Needs, names)
	}
	d.Operations = append(d.Operations, o)
}

// mostLeft is the most skipped parts that are named.
const mostLeft = 10

func (d *Description) leave(what string) {
	if len(d.Skipped) < mostLeft && (len(d.Skipped) == 0 || d.Skipped[len(d.Skipped)-1] != what) {
		d.Skipped = append(d.Skipped, what)
	}
}
