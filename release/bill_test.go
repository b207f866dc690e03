package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// expression matches what SPDX takes for a licence.
var expression = regexp.MustCompile(`^[A-Za-z0-9.-]+( AND [A-Za-z0-9.-]+)*$`)

// TestBills requires that a bill names every module of its program, with a licence.
func TestBills(t *testing.T) {
	look := func(t *testing.T, r *release, least int) {
		for _, p := range platforms {
			var bom cyclonedx.BOM
			if err := cyclonedx.NewBOMDecoder(bytes.NewReader(read(t, r, r.asset(p, ".cdx.json"))), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
				t.Fatal(err)
			}
			named := map[string]bool{}
			for _, c := range *bom.Components {
				if named[c.PackageURL] {
					t.Errorf("%s: %s stands there twice", p, c.PackageURL)
				}
				named[c.PackageURL] = true
				if id := (*c.Licenses)[0].Expression; !expression.MatchString(id) {
					t.Errorf("%s: the licence of %s is %q", p, c.Name, id)
				}
			}
			built, err := buildinfo.Read(bytes.NewReader(r.programs[p]))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range built.Deps {
				if m.Replace != nil {
					m = m.Replace
				}
				if !named["pkg:golang/"+m.Path+"@"+m.Version] {
					t.Errorf("%s: %s %s is not named", p, m.Path, m.Version)
				}
			}
			if !named["pkg:golang/std@"+strings.TrimPrefix(built.GoVersion, "go")] || len(built.Deps) < least || len(*bom.Components) <= len(built.Deps) {
				t.Errorf("%s: %d modules, %d parts", p, len(built.Deps), len(*bom.Components))
			}
			if got := (*bom.Metadata.Component.Hashes)[0].Value; got != sumOfBytes(r.programs[p]) {
				t.Errorf("%s: the bill is for %s", p, got)
			}
		}
	}
	t.Run("tiny", func(t *testing.T) { look(t, tiny(t), 0) })
	t.Run("whole", func(t *testing.T) { look(t, built(t), 30) })
}

// TestMissingTerms refuses a part without a licence, and one whose licence nobody knows.
func TestMissingTerms(t *testing.T) {
	r := tiny(t)
	if _, err := r.bill(platforms[0], map[string]term{}); err == nil || !strings.Contains(err.Error(), "says nothing of Go") {
		t.Errorf("%v", err)
	}
	rule := strings.Repeat("=", 80) + "\n"
	if _, err := readTerms([]byte(rule + "example.org/m v1.0.0, LICENSE\nhttps://example.org\n\nAll rights reserved.\n")); err == nil || !strings.Contains(err.Error(), "example.org/m") {
		t.Errorf("%v", err)
	}
	if _, err := readTerms([]byte(rule + "\n")); err == nil {
		t.Error("a section without a heading is taken")
	}
}

// TestRegistry holds the entry for the MCP registry to the checksums, the names and the limits.
func TestRegistry(t *testing.T) {
	r := tiny(t)
	var entry struct {
		Name, Description, Version string
		Packages                   []struct{ RegistryType, Identifier, Version, FileSHA256 string }
	}
	if err := json.Unmarshal(read(t, r, "server.json"), &entry); err != nil {
		t.Fatal(err)
	}
	if entry.Name != mcpName || len(entry.Description) > 100 || entry.Version != "1.2.3" || len(entry.Packages) != 4 {
		t.Errorf("%+v", entry)
	}
	for _, p := range entry.Packages {
		switch p.RegistryType {
		case "npm":
			var manifest map[string]any
			data := untar(t, read(t, r, "npm/"+packed(npmName, r.version)))["package/package.json"]
			if err := json.Unmarshal(data, &manifest); err != nil {
				t.Fatal(err)
			}
			if manifest["mcpName"] != entry.Name || manifest["name"] != p.Identifier || manifest["version"] != p.Version {
				t.Errorf("%+v %s", p, data)
			}
		case "mcpb":
			name, ok := strings.CutPrefix(p.Identifier, r.address(""))
			if !ok || !strings.HasSuffix(name, ".mcpb") || p.FileSHA256 != sumOfBytes(read(t, r, name)) {
				t.Errorf("%+v", p)
			}
		default:
			t.Errorf("%+v", p)
		}
	}
	if err := validRegistry(t, read(t, r, "server.json")); err != nil {
		t.Error(err)
	}
	if err := validRegistry(t, bytes.ReplaceAll(read(t, r, "server.json"), []byte(`"version"`), []byte(`"versino"`))); err == nil {
		t.Error("the schema takes an entry without a version")
	}
}
