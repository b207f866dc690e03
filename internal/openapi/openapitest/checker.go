// Package openapitest holds what a server answers to its description: every request that
// was carried out and every answer must be as described.
package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/openapi"
)

// location is the address of the description for references.
const location = "test:///openapi.json"

// Checker holds exchanges to a description. It is safe for concurrent use.
type Checker struct {
	root map[string]any

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	seen     map[string]bool
}

// Of returns a checker for what bindings say of their routes.
func Of(t testing.TB, parts ...httpkit.Description) *Checker {
	t.Helper()
	said, err := openapi.Document(openapi.Info{Title: "test", Version: "1"}, parts)
	if err != nil {
		t.Fatal(err)
	}
	return New(t, said)
}

// New returns a checker for a description.
func New(t testing.TB, description []byte) *Checker {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(description))
	if err != nil {
		t.Fatal(err)
	}
	c := &Checker{root: v.(map[string]any), compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	if err := c.compiler.AddResource(location, v); err != nil {
		t.Fatal(err)
	}
	return c
}

// Exchange is a request and its answer.
type Exchange struct {
	Method, Path string // Path as spelled in the request, with its query
	Asked        http.Header
	Body         []byte
	Status       int
	Said         http.Header
	Answer       []byte
}

// Check returns how an exchange differs from the description; nil: it does not.
func (c *Checker) Check(x Exchange) error {
	u, err := url.ParseRequestURI(x.Path)
	if err != nil || strings.HasPrefix(u.Path, "/me/") {
		return nil // no route has such an address, and the owner's pages are not described
	}
	if x.Method == http.MethodOptions && x.Said.Get("Access-Control-Allow-Methods") != "" {
		return nil // a browser's question before it sends the request itself
	}
	at, item := c.find(u.Path)
	method := strings.ToLower(x.Method)
	if method == "head" {
		method = "get"
	}
	operation, known := item[method].(map[string]any)
	switch {
	case !known && x.Status < 400:
		return fmt.Errorf("%s %s: %d, and it is not described", x.Method, x.Path, x.Status)
	case !known:
		return nil
	}
	here := pointer("paths", at, method)
	c.note(fmt.Sprintf("%s %d", operation["operationId"], x.Status))
	if err := c.answer(x, operation, here); err != nil {
		return fmt.Errorf("%s %s: the answer %d %s: %w", x.Method, x.Path, x.Status, shortened(x.Answer), err)
	}
	if x.Status >= 300 {
		return nil
	}
	if err := c.request(x, u.Query(), operation, here); err != nil {
		return fmt.Errorf("%s %s: the request %s: %w", x.Method, x.Path, shortened(x.Body), err)
	}
	return nil
}

// Seen returns how many pairs of a route and a status were checked.
func (c *Checker) Seen() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.seen)
}

func (c *Checker) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[what] = true
}

// find returns the path of the description that a path matches, and its item.
func (c *Checker) find(path string) (string, map[string]any) {
	paths, _ := c.root["paths"].(map[string]any)
	if item, ok := paths[path].(map[string]any); ok {
		return path, item
	}
	best, found := "", map[string]any(nil)
	for at, item := range paths {
		before, after, has := strings.Cut(at, "{")
		_, after, _ = strings.Cut(after, "}")
		inner, begins := strings.CutPrefix(path, before)
		inner, ends := strings.CutSuffix(inner, after)
		if has && begins && ends && inner != "" && len(at) > len(best) {
			best, found = at, item.(map[string]any)
		}
	}
	return best, found
}

// answer holds an answer to the description.
func (c *Checker) answer(x Exchange, operation map[string]any, here string) error {
	responses := operation["responses"].(map[string]any)
	status := fmt.Sprint(x.Status)
	said, ok := responses[status].(map[string]any)
	if !ok {
		return fmt.Errorf("the status is not described, but %v", keys(responses))
	}
	here += pointer("responses", status)
	if to, ok := said["$ref"].(string); ok {
		here = strings.TrimPrefix(to, "#")
		said = c.at(here)
	}
	content, _ := said["content"].(map[string]any)
	if len(x.Answer) == 0 && (x.Method == http.MethodHead || len(content) == 0) {
		return nil
	}
	return c.body(x.Said.Get("Content-Type"), x.Answer, content, here)
}

// request holds a request that was carried out to the description.
func (c *Checker) request(x Exchange, query url.Values, operation map[string]any, here string) error {
	known := map[string]bool{}
	parameters, _ := operation["parameters"].([]any)
	for i, p := range parameters {
		p := p.(map[string]any)
		name := p["name"].(string)
		if p["in"] != "query" {
			continue
		}
		known[name] = true
		if p["required"] == true && !query.Has(name) {
			return fmt.Errorf("the parameter %s is missing", name)
		}
		if err := c.parameter(query[name], here+pointer("parameters", fmt.Sprint(i), "schema")); err != nil {
			return fmt.Errorf("the parameter %s: %w", name, err)
		}
	}
	for name := range query {
		if !known[name] {
			return fmt.Errorf("the parameter %s is not described", name)
		}
	}
	body, has := operation["requestBody"].(map[string]any)
	if len(x.Body) == 0 && (!has || body["required"] != true) {
		return nil
	}
	if !has {
		return fmt.Errorf("a body is not described")
	}
	media := x.Asked.Get("Content-Type")
	if media == "" {
		media = "application/json"
	}
	return c.body(media, x.Body, body["content"].(map[string]any), here+pointer("requestBody"))
}

// parameter holds the values of a parameter to its schema.
func (c *Checker) parameter(values []string, at string) error {
	kind := c.at(at)["type"]
	if kind == "array" || len(values) == 0 {
		return nil
	}
	var v any = values[0]
	if kind != "string" {
		if err := json.Unmarshal([]byte(values[0]), &v); err != nil {
			return err
		}
	}
	return c.validate(at, v)
}

// body holds a body to one of the described forms.
func (c *Checker) body(media string, body []byte, content map[string]any, here string) error {
	name, form := formOf(media, content)
	if name == "" {
		return fmt.Errorf("the media type %q is not described, but %v", media, keys(content))
	}
	here += pointer("content", name)
	if _, ok := form["x-item-schema"]; ok {
		for line := range strings.Lines(string(body)) {
			if strings.HasPrefix(name, "text/") {
				data, ok := strings.CutPrefix(line, "data: ")
				if !ok {
					continue
				}
				line = data
			}
			if strings.TrimSpace(line) == "" {
				continue
			}
			if err := c.json(here+pointer("x-item-schema"), []byte(line)); err != nil {
				return err
			}
		}
		return nil
	}
	if _, ok := form["schema"]; !ok || strings.HasPrefix(name, "text/") {
		return nil
	}
	if name == "application/x-www-form-urlencoded" {
		body = membersOf(body)
	}
	return c.json(here+pointer("schema"), body)
}

// membersOf returns the parameters of a form as an object of JSON. One that comes again is a
// list.
func membersOf(form []byte) []byte {
	v, err := url.ParseQuery(string(form))
	if err != nil {
		return form // no JSON either
	}
	all := map[string]any{}
	for name, values := range v {
		if all[name] = values; len(values) == 1 {
			all[name] = values[0]
		}
	}
	body, _ := json.Marshal(all) // texts can be written
	return body
}

// formOf returns the described form of a media type.
func formOf(media string, content map[string]any) (string, map[string]any) {
	said, _, err := mime.ParseMediaType(media)
	if err != nil {
		return "", nil
	}
	for name, form := range content {
		if known, _, _ := mime.ParseMediaType(name); known == said || name == "*/*" {
			return name, form.(map[string]any)
		}
	}
	if _, ok := content["application/json"]; ok && strings.HasSuffix(said, "+json") {
		return "application/json", content["application/json"].(map[string]any)
	}
	return "", nil
}

func (c *Checker) json(at string, body []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return c.validate(at, v)
}

func (c *Checker) validate(at string, v any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	schema, ok := c.compiled[at]
	if !ok {
		var err error
		if schema, err = c.compiler.Compile(location + "#" + at); err != nil {
			return err
		}
		c.compiled[at] = schema
	}
	return schema.Validate(v)
}

// at returns the object at a JSON Pointer.
func (c *Checker) at(pointer string) map[string]any {
	v := any(c.root)
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch now := v.(type) {
		case map[string]any:
			v = now[part]
		case []any:
			i := 0
			_, _ = fmt.Sscan(part, &i)
			v = now[i]
		}
	}
	found, _ := v.(map[string]any)
	return found
}

func pointer(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return b.String()
}

func keys(m map[string]any) (all []string) {
	for name := range m {
		all = append(all, name)
	}
	return all
}

func shortened(body []byte) string {
	const most = 600
	if len(body) > most {
		body = body[:most]
	}
	return string(body)
}
