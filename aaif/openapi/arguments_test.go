package openapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/openapi"
)

// one returns a description with one operation, GET /a/{id}.
func one(operation, path, components string) string {
	return `{"openapi":"3.0.3","servers":[{"url":"/v1"}],"paths":{"/a/{id}":{"get":{"operationId":"a"` + operation + `}` + path + `}},"components":{` + components + `}}`
}

func takes(t testing.TB, raw string) openapi.Arguments {
	t.Helper()
	d := read(t, raw)
	return d.Arguments(d.Operations[0])
}

func TestArguments(t *testing.T) {
	for name, c := range map[string]struct{ operation, path, components, schema, list string }{
		"none": {"", "", "", `{"type":"object","properties":{},"additionalProperties":false}`, ""},
		"of a path, with its own before them": {`,"parameters":[{"name":"id","in":"path","schema":{"type":"string"}}]`, `,"parameters":[{"name":"id","in":"path","schema":{"type":"integer"}},{"name":"q","in":"query"}]`, "",
			`{"type":"object","properties":{"id":{"type":"string"},"q":{}},"additionalProperties":false,"required":["id"]}`, "id=path.id q=query.q*"},
		"of one name in two places": {`,"parameters":[{"name":"id","in":"path","schema":{}},{"name":"id","in":"query","required":true,"schema":{}}]`, "", "",
			`{"type":"object","properties":{"id":{},"id_query":{}},"additionalProperties":false,"required":["id","id_query"]}`, "id=path.id id_query=query.id*"},
		"and a body of a schema that leads to itself": {`,"requestBody":{"required":true,"content":{"application/json; charset=utf-8":{"schema":{"$ref":"#/components/schemas/N"}}}}`, "",
			`"schemas":{"N":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/N"}}}}`,
			`{"type":"object","properties":{"body":{"$ref":"#/$defs/N"}},"additionalProperties":false,"required":["body"],"$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}}}`, "body=body."},
		"as 3.0 writes them": {`,"parameters":[{"name":"n","in":"query","description":"How many.","explode":false,"schema":{"type":"integer","nullable":true,"minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false,"example":3}}]`, "", "",
			`{"type":"object","properties":{"n":{"type":["integer","null"],"exclusiveMinimum":1,"maximum":9,"description":"How many."}},"additionalProperties":false}`, "n=query.n"},
		"with references elsewhere": {`,"parameters":[{"$ref":"https://desk.example/p.json"},{"$ref":"#/components/parameters/x"},{"name":"q","in":"query","schema":{"$ref":"other.json#/a"}}]`, "", `"parameters":{"x":{"$ref":"#/components/parameters/x"}}`,
			`{"type":"object","properties":{"q":{}},"additionalProperties":false}`, "q=query.q*"},
		"and a body that is not JSON": {`,"requestBody":{"content":{"text/csv":{"schema":{}}}}`, "", "", `{"type":"object","properties":{},"additionalProperties":false}`, ""},
	} {
		t.Run("AAIF-4.4-11 arguments "+name, func(t *testing.T) {
			got := takes(t, one(c.operation, c.path, c.components))
			var list []string
			for _, a := range got.List {
				text := a.Name + "=" + a.In + "." + a.Key
				if a.Explode {
					text += "*"
				}
				list = append(list, text)
			}
			if schema := string(got.Schema.Append(nil)); schema != c.schema || strings.Join(list, " ") != c.list {
				t.Errorf("got %s and %v", schema, list)
			}
		})
	}
	t.Run("AAIF-4.4-11 a schema with more parts than are read", func(t *testing.T) {
		var schemas []string
		for i := range 5000 {
			schemas = append(schemas, fmt.Sprintf(`"S%d":{"type":"object","properties":{"a":{"type":"string"},"next":{"$ref":"#/components/schemas/S%d"}}}`, i, i+1))
		}
		if !takes(t, one(`,"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}}`, "", `"schemas":{`+strings.Join(schemas, ",")+`}`)).Large {
			t.Error("it is read whole")
		}
	})
}

func TestServer(t *testing.T) {
	from, _ := url.Parse("https://desk.example/api/openapi.json")
	for name, c := range map[string]struct{ raw, want string }{
		"of the description":    {one("", "", ""), "https://desk.example/v1"},
		"of the path":           {one("", `,"servers":[{"url":"https://{host}.example/p","variables":{"host":{"default":"eu"}}}]`, ""), "https://eu.example/p"},
		"of the operation":      {one(`,"servers":[{"url":"../o"}]`, `,"servers":[{"url":"/p"}]`, ""), "https://desk.example/o"},
		"that is not an URL":    {one(`,"servers":[{"url":"://"}]`, "", ""), ""},
		"nobody has said where": {`{"openapi":"3.0.3","paths":{"/a":{"get":{}}}}`, "https://desk.example/"},
	} {
		t.Run("AAIF-4.4-11 the server "+name, func(t *testing.T) {
			d := read(t, c.raw)
			got := ""
			if u := d.Server(d.Operations[0], from); u != nil {
				got = u.String()
			}
			if got != c.want {
				t.Errorf("got %s", got)
			}
			if u := d.Server(d.Operations[0], nil); (u != nil) != strings.HasPrefix(c.want, "https://eu") {
				t.Errorf("of a file: %v", u)
			}
		})
	}
}
