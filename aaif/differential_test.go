package aaif_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// edition returns the folder of the published schemas of edition 3.4.0.
func edition(t testing.TB) string {
	t.Helper()
	shared := os.Getenv("SATCHEL_SHARED")
	if shared == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	return filepath.Join(shared, "specs", "aaif-3.4.0")
}

// oracle compiles a published schema.
func oracle(t testing.TB, kind aaif.Kind) *jsonschema.Schema {
	t.Helper()
	name := filepath.Join(edition(t), string(kind)+".schema.json")
	if kind == aaif.RegistryKind {
		name = filepath.Join(edition(t), "registries", "registry.schema.json")
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("oracle.json", source); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// superset are the words that this room accepts and edition 3.4.0 does not, by the
// pointer where they stand, "*" being an index.
var superset = []struct {
	at    *regexp.Regexp
	words []string
}{
	{regexp.MustCompile(`^/agent/tools/\d+/auth/type$`), []string{"mtls"}},
	{regexp.MustCompile(`^/platform/capabilities/model/routing_strategies/\d+$`), []string{"preferred_first"}},
	{regexp.MustCompile(`^/platform/capabilities/auth/vault/providers/\d+$`), []string{"aws_secretsmanager", "azure_keyvault", "gcp_secretmanager", "custom"}},
}

// supersetMembers are the members that this room accepts besides.
var supersetMembers = []string{"/platform/capabilities/memory/sqlite", "/platform/capabilities/memory/weaviate", "/platform/capabilities/auth/basic", "/platform/capabilities/auth/mtls"}

// beyond reports whether a document holds what only this room accepts, or an empty id, which
// only this room refuses: nobody can ask for it (AAIF-4.1-3).
func beyond(v canon.Value, pointer string) bool {
	if slices.Contains(supersetMembers, pointer) || pointer == "/agent_id" && v.Type() == canon.TypeString && v.Text() == "" {
		return true
	}
	for _, s := range superset {
		if s.at.MatchString(pointer) && slices.Contains(s.words, v.Text()) {
			return true
		}
	}
	for i, item := range v.Items() {
		if beyond(item, pointer+canon.Pointer(string(rune('0'+i%10)))) {
			return true
		}
	}
	return slices.ContainsFunc(v.Members(), func(m canon.Member) bool { return beyond(m.Value, pointer+canon.Pointer(m.Name)) })
}

// valid returns what the schema of this room says, and that of the edition.
func valid(t *testing.T, v *aaif.Validator, s *jsonschema.Schema, d aaif.Document) (ours, theirs bool) {
	t.Helper()
	var plain any
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.Value.Append(nil)))
	if err != nil {
		t.Fatal(err)
	}
	ours = true
	for _, p := range v.Validate(d) {
		ours = ours && (p.Warning || aaif.CodeOf(p) != aaif.SchemaViolation)
	}
	return ours, s.Validate(plain) == nil
}

// mutations is how many documents are made of one.
const mutations = 1200

func TestSchemasAgreeWithTheEdition(t *testing.T) {
	v := validator(t)
	for kind, names := range map[aaif.Kind][]string{
		aaif.AgentKind: {"agent"}, aaif.StateKind: {"state", "failed-state"}, aaif.ManifestKind: {"manifest"}, aaif.ReportKind: {"report"}, aaif.RegistryKind: {"registry"},
	} {
		t.Run("AAIF-4-1 "+string(kind), func(t *testing.T) {
			schema := oracle(t, kind)
			vocabulary := vocabularyOf(tree(t, string(aaif.Schema(kind))))
			refused := 0
			for i, name := range names {
				base := baseOf(t, kind, name)
				if ours, theirs := valid(t, v, schema, base); !ours || !theirs {
					t.Fatalf("%s: ours %t, the edition's %t", name, ours, theirs)
				}
				m := &mutator{r: rand.New(rand.NewPCG(uint64(i), 7)), words: vocabulary}
				for range mutations {
					d := base
					for range 1 + m.r.IntN(3) {
						d.Value = m.mutate(d.Value)
					}
					if beyond(d.Value, "") || d.Value.Type() != canon.TypeObject {
						continue
					}
					ours, theirs := valid(t, v, schema, d)
					if ours != theirs {
						t.Fatalf("ours %t, the edition's %t: %s", ours, theirs, d.Value.Append(nil))
					}
					if !ours {
						refused++
					}
				}
			}
			if refused < mutations/4 || refused > len(names)*mutations-100 {
				t.Errorf("%d of the mutated documents were refused, which shows little", refused)
			}
		})
	}
}

func baseOf(t *testing.T, kind aaif.Kind, name string) aaif.Document {
	if kind == aaif.RegistryKind {
		return aaif.Document{Kind: kind, Value: aaif.StandardRegistries()[aaif.Providers].Value}
	}
	d := sample(t, name)
	if d.Kind != kind {
		t.Fatalf("got a document of type %s", d.Kind)
	}
	return d
}

func TestExamplesOfTheText(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(edition(t), "specification.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, block := range strings.Split(string(raw), "```json\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		if !json.Valid([]byte(text)) {
			continue
		}
		v := tree(t, text)
		if v.Has("lang") {
			found++
			d := changed(t, doc(t, minimal), "/agent/orchestration", `{"subagents":[{"ref":"a","when":`+text+`}]}`)
			if problems := validator(t).Validate(d); len(problems) > 0 {
				t.Errorf("AAIF-5-2: the condition of the text is refused:%s", show(problems))
			}
		}
	}
	if found == 0 {
		t.Error("no example was found")
	}
	for _, name := range []string{"capabilities", "condition-languages", "memory-backends", "providers", "tool-protocols", "vault-providers"} {
		checkPublishedRegistry(t, name)
	}
}

// checkPublishedRegistry compares a registry of the edition with that of this room.
func checkPublishedRegistry(t *testing.T, name string) {
	raw, err := os.ReadFile(filepath.Join(edition(t), "registries", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	published := aaif.ReadRegistry(tree(t, string(raw)))
	ours := aaif.StandardRegistries()[published.Point]
	t.Run("AAIF-10-2 "+name, func(t *testing.T) {
		if found := aaif.CheckRegistry(published); aaif.HasErrors(found) {
			t.Errorf("the published registry is refused:%s", show(found))
		}
		if len(published.Entries) != len(ours.Entries) {
			t.Fatalf("%d entries are published, %d are here", len(published.Entries), len(ours.Entries))
		}
		for _, want := range published.Entries {
			if got, ok := ours.Entry(want.ID); !ok || got.Status != want.Status || got.Since != want.Since {
				t.Errorf("%s: got %+v", want.ID, got)
			}
		}
	})
}
