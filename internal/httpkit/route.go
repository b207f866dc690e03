package httpkit

import (
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Route is a row of a binding's table. Requests are dispatched by the table, and the
// description of the server is made from it, so that every route is described.
type Route[H any] struct {
	Operation
	// Do answers a request. [http.Request.PathValue] returns the parameter of the path.
	Do func(h H, w http.ResponseWriter, r *http.Request, c memory.Caller) error
	// On reports whether a handler offers the route; nil: every handler does.
	On func(h H) bool
}

// Table is the routes of a binding, one for each path and method, in the order in which
// they are described.
type Table[H any] []*Route[H]

// At returns the routes that a handler offers at the path of a request, one for each
// method, and sets the parameter of the path. Of several paths that match, the first counts.
func (t Table[H]) At(h H, r *http.Request) Table[H] {
	var found Table[H]
	for _, row := range t {
		name, value, ok := match(row.Path, r.URL.Path)
		if !ok || row.On != nil && !row.On(h) || len(found) > 0 && row.Path != found[0].Path {
			continue
		}
		if name != "" {
			r.SetPathValue(name, value)
		}
		found = append(found, row)
	}
	return found
}

// For returns the route of a method; nil: there is none. A route of GET answers HEAD, too.
func (t Table[H]) For(method string) *Route[H] {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, row := range t {
		if row.Method == method {
			return row
		}
	}
	return nil
}

// Methods returns the methods of the routes, as the header Allow lists them.
func (t Table[H]) Methods() []string {
	var all []string
	for _, row := range t {
		if all = append(all, row.Method); row.Method == http.MethodGet {
			all = append(all, http.MethodHead)
		}
	}
	return all
}

// PathOf returns the path of a table that matches a path, with {id} in the place of an id,
// whoever offers it.
func (t Table[H]) PathOf(path string) (string, bool) {
	for _, row := range t {
		if _, _, ok := match(row.Path, path); ok {
			return row.Template(), true
		}
	}
	return "", false
}

// Paths returns the paths of a table that have no parameter, each once.
func (t Table[H]) Paths() []string {
	var all []string
	for _, row := range t {
		if !strings.Contains(row.Path, "{") && !slices.Contains(all, row.Path) {
			all = append(all, row.Path)
		}
	}
	return all
}

// Has reports whether a handler offers a path.
func (t Table[H]) Has(h H, path string) bool {
	for _, row := range t {
		if _, _, ok := match(row.Path, path); ok && (row.On == nil || row.On(h)) {
			return true
		}
	}
	return false
}

// IsPublic reports whether a path needs no token, whoever offers it.
func (t Table[H]) IsPublic(path string) bool {
	for _, row := range t {
		if row.Who != Everyone {
			continue
		}
		if _, _, ok := match(row.Path, path); ok {
			return true
		}
	}
	return false
}

// Offered returns what the description says of the routes that a handler offers.
func (t Table[H]) Offered(h H) []Operation {
	var all []Operation
	for _, row := range t {
		if row.On == nil || row.On(h) {
			all = append(all, row.Operation)
		}
	}
	return all
}

// rest ends the name of a parameter that may contain slashes, in the path of an operation.
const rest = "..."

// Template returns the path as descriptions spell it.
func (o Operation) Template() string { return strings.Replace(o.Path, rest+"}", "}", 1) }

// match reports whether a path is that of an operation, and returns the name and the value
// of its parameter, if it has one. A value is never empty.
func match(pattern, path string) (name, value string, ok bool) {
	before, after, has := strings.Cut(pattern, "{")
	if !has {
		return "", "", path == pattern
	}
	if value, ok = strings.CutPrefix(path, before); !ok {
		return "", "", false
	}
	name, after, _ = strings.Cut(after, "}")
	name, slashes := strings.CutSuffix(name, rest)
	value, ok = strings.CutSuffix(value, after)
	return name, value, ok && value != "" && (slashes || !strings.Contains(value, "/"))
}
