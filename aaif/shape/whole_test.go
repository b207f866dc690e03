package shape_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
)

// library returns documents from their texts.
func library(t testing.TB, texts map[string]string) shape.Documents {
	return func(address string) canon.Value {
		if text, here := texts[address]; here {
			return value(t, text)
		}
		return canon.Value{}
	}
}

// TestWhole: a schema with the documents that it refers to decides as if it said all itself.
func TestWhole(t *testing.T) {
	const bill = "https://schemas.example/desk/bill.json"
	for _, c := range []struct {
		name, schema string
		documents    map[string]string
		fits, not    string
	}{
		{"a document", `{"type":"array","items":{"$ref":"` + bill + `"}}`,
			map[string]string{bill: `{"type":"object","required":["number"]}`}, `[{"number":1}]`, `[{}]`},
		{"a part of a document", `{"$ref":"` + bill + `#/definitions/number"}`,
			map[string]string{bill: `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"number":{"type":"integer"}}}`}, `1`, `"1"`},
		{"a named part of a document", `{"$ref":"` + bill + `#number"}`,
			map[string]string{bill: `{"$defs":{"number":{"$anchor":"number","type":"integer"}}}`}, `1`, `"1"`},
		{"documents that refer to each other", `{"$ref":"` + bill + `"}`, map[string]string{
			bill: `{"properties":{"lines":{"items":{"$ref":"line.json"}},"n":{"type":"integer"}}}`, "https://schemas.example/desk/line.json": `{"properties":{"of":{"$ref":"bill.json"}}}`,
		}, `{"lines":[{"of":{"n":1}}]}`, `{"lines":[{"of":{"lines":[{"of":{"n":"x"}}]}}]}`},
		{"a document with a relative reference", `{"$ref":"` + bill + `"}`, map[string]string{
			bill: `{"properties":{"lines":{"items":{"$ref":"parts/line.json"}}}}`, "https://schemas.example/desk/parts/line.json": `{"type":"integer"}`,
		}, `{"lines":[1]}`, `{"lines":["x"]}`},
		{"a document that goes by another id", `{"$ref":"` + bill + `"}`, map[string]string{
			bill: `{"$id":"https://other.example/v2/bill.json","$ref":"line.json"}`, "https://other.example/v2/line.json": `{"type":"integer"}`,
		}, `1`, `"x"`},
		{"a document that refers to itself by its address", `{"$ref":"` + bill + `"}`, map[string]string{
			bill: `{"$id":"https://other.example/v2/bill.json","properties":{"next":{"$ref":"` + bill + `"},"n":{"type":"integer"}}}`,
		}, `{"next":{"n":1}}`, `{"next":{"next":{"n":"x"}}}`},
		{"a schema with an address of its own", `{"$id":"` + bill + `","$ref":"line.json"}`,
			map[string]string{"https://schemas.example/desk/line.json": `{"type":"integer"}`}, `1`, `"x"`},
		{"true", `{"$ref":"` + bill + `"}`, map[string]string{bill: `true`}, `1`, ``},
		{"false", `{"properties":{"a":{"$ref":"` + bill + `"}}}`, map[string]string{bill: `false`}, `{}`, `{"a":1}`},
		{"a list of items as older drafts have it", `{"$ref":"` + bill + `"}`,
			map[string]string{bill: `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"}]}`}, `[1]`, `["x"]`},
		{"draft 4", `{"$ref":"` + bill + `#/definitions/n"}`,
			map[string]string{bill: `{"$schema":"http://json-schema.org/draft-04/schema#","id":"https://other.example/n","definitions":{"n":{"minimum":1,"exclusiveMinimum":true}}}`}, `2`, `1`},
		{"an older schema", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"` + bill + `"}}}`,
			map[string]string{bill: `{"type":"integer"}`}, `{"a":1}`, `{"a":"x"}`},
	} {
		t.Run("AAIF-4.4-28 "+c.name, func(t *testing.T) {
			schema := value(t, c.schema)
			if _, err := shape.Compile(schema); err == nil {
				t.Fatal("the schema needs no document")
			}
			s, err := shape.Compile(shape.Whole(schema, library(t, c.documents)))
			if err != nil {
				t.Fatal(err)
			}
			if found := s.Check(value(t, c.fits)); found != nil {
				t.Errorf("%s: %v", c.fits, found)
			}
			if c.not != "" && s.Check(value(t, c.not)) == nil {
				t.Errorf("%s fits", c.not)
			}
		})
	}
	t.Run("AAIF-4.4-4 a schema that says all itself stays as it is", func(t *testing.T) {
		const text = `{"$id":"https://x.example/a","$defs":{"b":{"$id":"b","type":"integer"}},"properties":{"b":{"$ref":"b"},"c":{"$ref":"#/$defs/b"},"d":{"const":{"$ref":1}}}}`
		asked := 0
		whole := shape.Whole(value(t, text), func(string) canon.Value { asked++; return canon.Bool(true) })
		if got := string(whole.Append(nil)); got != text || asked != 0 {
			t.Errorf("got %s after %d questions", got, asked)
		}
	})
	t.Run("AAIF-4.4-28 a document that is not here is named", func(t *testing.T) {
		_, err := shape.Compile(shape.Whole(value(t, `{"$ref":"`+bill+`"}`), library(t, map[string]string{bill: `{"$ref":"line.json"}`})))
		if err == nil || !strings.Contains(err.Error(), "run/copies/schemas.example/desk/line.json") {
			t.Errorf("got %v", err)
		}
	})
}

// TestWholeHostile: what documents say is bounded as what a schema says.
func TestWholeHostile(t *testing.T) {
	start := time.Now()
	t.Run("AAIF-4.4-28 a chain without end", func(t *testing.T) {
		asked := 0
		_, err := shape.Compile(shape.Whole(value(t, `{"$ref":"https://x.example/0"}`), func(string) canon.Value {
			asked++
			return value(t, fmt.Sprintf(`{"$ref":"https://x.example/%d"}`, asked))
		}))
		if err == nil || asked > 32 {
			t.Errorf("%v after %d documents", err, asked)
		}
	})
	t.Run("AAIF-4.4-28 much", func(t *testing.T) {
		large := `{"description":"` + strings.Repeat("x", 100<<10) + `"}`
		whole := shape.Whole(value(t, `{"allOf":[{"$ref":"https://x.example/a"},{"$ref":"https://x.example/b"}]}`), library(t, map[string]string{"https://x.example/a": large, "https://x.example/b": large}))
		if _, err := shape.Compile(whole); err == nil || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-4.4-28 steps count in documents of another dialect", func(t *testing.T) {
		defs := strings.Replace(doubling(40, "allOf"), `{"$ref":"#/$defs/d0",`, `{"$schema":"http://json-schema.org/draft-07/schema#",`, 1)
		s, err := shape.Compile(shape.Whole(value(t, `{"items":{"$ref":"https://x.example/a#/$defs/d0"}}`), library(t, map[string]string{"https://x.example/a": defs})))
		if err != nil {
			t.Fatal(err)
		}
		if s.Check(value(t, `["x"]`)) == nil {
			t.Error("2^40 steps are decided")
		}
	})
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestPath(t *testing.T) {
	for address, want := range map[string]string{
		"https://schemas.example/a/b.json": "schemas.example/a/b.json", "http://Schemas.Example/a": "schemas.example/a",
		"https://schemas.example": "schemas.example/index.html", "https://schemas.example/": "schemas.example/index.html", "https://schemas.example/a/": "schemas.example/a/index.html",
		"https://": "", "https:///a": "", "https://schemas.example/a//": "", "https://schemas.example:8443/a": "",
		"https://schemas.example/a?b": "", "https://schemas.example/a?": "", "https://me@schemas.example/a": "", "file:///etc/passwd": "", "a.json": "", "urn:a:b": "",
		"https://../etc/passwd": "", "https://schemas.example/../../passwd": "", "https://schemas.example/%2e%2e/passwd": "", "https://schemas.example/a%2f..%2fb": "",
		`https://schemas.example/a\b`: "", "https://schemas.example/a%5cb": "", "https://schemas.example/a%00b": "", "https://[::1]/a": "", "https://.hidden/a": "", "https://schemas.example/aux/a": "", "https://schemas.example/a.": "", "https://schemas.example/a%20": "",
		"https://schemas.example//a": "", "https://schemas.example/" + strings.Repeat("a", 600): "",
	} {
		if got := shape.Path(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}
