package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// registryModule is the MCP registry's own server, whose module holds the schema of its entries.
const registryModule = "github.com/modelcontextprotocol/registry@v1.8.9"

// validRegistry holds an entry to the schema of the MCP registry. Go fetches the module, and checks it
// by the public log of checksums; nothing of it is built.
func validRegistry(t *testing.T, entry []byte) error {
	t.Helper()
	said, err := exec.Command("go", "mod", "download", "-json", registryModule).Output()
	var module struct{ Dir string }
	if err = errors.Join(err, json.Unmarshal(said, &module)); err != nil || module.Dir == "" {
		t.Skipf("skipped: the schema of the MCP registry is neither cached nor within reach: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(module.Dir, "internal", "validators", "schemas", "2025-12-11.json"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("server.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("server.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(entry))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}
