package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientsAreFresh compares the clients with what the description of the server makes
// of them now.
func TestClientsAreFresh(t *testing.T) {
	files, err := generated()
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil || string(got) != want {
			t.Errorf("%s is not what go generate ./clients makes of the description: %v", name, err)
		}
	}
}

// TestShapes holds the generator to what the three languages say of the same schemas.
func TestShapes(t *testing.T) {
	const description = `{
		"paths": {"/things/{id}": {"post": {"operationId": "change", "summary": "Change", "description": "It.",
			"parameters": [{"name": "id", "in": "path"}, {"name": "deep", "in": "query", "required": true, "schema": {"type": "boolean"}}, {"name": "Idempotency-Key", "in": "header"}],
			"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
			"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Things"}}}}}}}},
		"components": {"schemas": {
			"Thing": {"type": "object", "description": "A */ thing.", "required": ["name"], "properties": {"name": {"type": "string"}, "kind": {"enum": ["a", "b"]},
				"place": {"type": "object", "properties": {"x": {"type": ["number", "null"]}}}}},
			"Things": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}}}}`
	a, err := read([]byte(description), []string{"change"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		a.python(): {"class _Thing(TypedDict):\n    name: str\n", "class Thing(_Thing, total=False):", `kind: Literal["a", "b"]`, "place: ThingPlace", "x: Union[float, None]",
			`Things = List["Thing"]`, "def change(self, id: str, request: Thing, *, deep: bool, idempotency_key: Optional[str] = None) -> Things:",
			`return self.ask("POST", path("/things/{id}", id), query={"deep": deep}, body=request, key=idempotency_key)`},
		a.javaScript(): {"change(id, request, options) {", `return this.ask("POST", path("/things/{id}", id), { query: { deep: options.deep }, body: request, key: options.idempotencyKey, signal: options.signal });`},
		a.typeScript(): {"/** A * / thing. */\nexport interface Thing {\n  kind?: \"a\" | \"b\";\n  name: string;\n", "x?: number | null;", "export type Things = Array<Thing>;",
			"change(id: string, request: Thing, options: Options & { deep: boolean; idempotencyKey?: string }): Promise<Things>;"},
	} {
		for _, line := range want {
			if !strings.Contains(text, line) {
				t.Errorf("there is no\n%s\nin\n%s", line, text)
			}
		}
	}
	if _, err := read([]byte(description), []string{"other"}); err == nil {
		t.Error("an operation that is not described was found")
	}
}
