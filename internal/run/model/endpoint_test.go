package model

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/satchel-memory/satchel/aaif/route"
)

type keyring map[string]string

func (k keyring) Key(provider string) (string, error) { return k[provider], nil }

// A key goes to the operator's address of its provider, and nowhere else.
func TestLocate(t *testing.T) {
	operator := route.Operator{Providers: []route.Provider{{Name: "openai", BaseURL: "https://gateway.example/openai/v1"}, {Name: "litellm", BaseURL: "https://litellm.corp:4000"}, {Name: "mistral"}}}
	keys := keyring{"openai": "k-openai", "litellm": "k-litellm", "anthropic": "k-anthropic", "ollama": "k-ollama", "evil": ""}
	target := func(provider, address string) route.Candidate {
		return route.Candidate{Target: route.Target{Provider: provider, Model: "m"}, BaseURL: address}
	}
	for _, c := range []struct {
		name   string
		from   route.Candidate
		listed []string
		want   Endpoint
		kind   ErrorKind
	}{
		{"AAIF-4.2-19 the operator's address", target("openai", ""), nil, Endpoint{"openai", OpenAI, "https://gateway.example/openai/v1", "k-openai", false, false}, ""},
		{"AAIF-4.2-19 the provider's own address", target("anthropic", ""), nil, Endpoint{"anthropic", Anthropic, "https://api.anthropic.com", "k-anthropic", false, false}, ""},
		{"AAIF-4.2-19 an address in the definition", target("x", "https://x.example/v1"), nil, Endpoint{"x", OpenAI, "https://x.example/v1", "", true, false}, ""},
		{"AAIF-4.2-19 no address", target("x", ""), nil, Endpoint{}, Unconfigured},
		{"AAIF-4.2-19 a provider without a usual address", target("azure_openai", ""), nil, Endpoint{}, Unconfigured},
		{"AAIF-4.2-20 the operator's address, in the definition", target("litellm", "https://LiteLLM.corp:4000/"), nil, Endpoint{"litellm", OpenAI, "https://litellm.corp:4000", "k-litellm", false, false}, ""},
		{"AAIF-4.2-20 another address of a provider", target("openai", "https://evil.example/v1"), nil, Endpoint{"openai", OpenAI, "https://evil.example/v1", "", true, false}, ""},
		{"AAIF-4.2-20 another address of one without an operator's", target("anthropic", "https://api.anthropic.com.evil.example"), nil, Endpoint{"anthropic", OpenAI, "https://api.anthropic.com.evil.example", "", true, false}, ""},
		{"AAIF-4.2-20 the provider's own address, in the definition", target("mistral", "https://api.mistral.ai/v1"), nil, Endpoint{"mistral", OpenAI, "https://api.mistral.ai/v1", "", true, false}, ""},
		{"AAIF-4.2-20 a provider that is named as another", target("evil", "https://gateway.example/openai/v1"), nil, Endpoint{"evil", OpenAI, "https://gateway.example/openai/v1", "", true, false}, ""},
		{"AAIF-4.2-20 metadata of a cloud", target("x", "http://169.254.169.254/"), nil, Endpoint{}, Denied},
		{"AAIF-4.2-20 not on the list", target("x", "https://x.example/v1"), []string{"y.example"}, Endpoint{}, Denied},
		{"AAIF-4.2-20 on the list", target("x", "https://10.0.0.7/v1"), []string{"10.0.0.7"}, Endpoint{"x", OpenAI, "https://10.0.0.7/v1", "", true, true}, ""},
		{"ollama", target("ollama", ""), nil, Endpoint{"ollama", Ollama, "http://127.0.0.1:11434", "k-ollama", false, false}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := operator
			o.Egress = c.listed
			got, err := locate(o, keys, c.from)
			failed, _ := errors.AsType[*Error](err)
			if got != c.want || (failed == nil) != (c.kind == "") || failed != nil && failed.Kind != c.kind {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	t.Run("Ollama's other interface", func(t *testing.T) {
		o := route.Operator{Providers: []route.Provider{{Name: "ollama", BaseURL: "http://localhost:11434/v1"}}}
		if got, err := locate(o, keys, target("ollama", "")); err != nil || got.Wire != OpenAI {
			t.Error(got, err)
		}
	})
}

// Every provider of section 4.2 has a wire, and speaks OpenAI's where the registry says so.
func TestRegistry(t *testing.T) {
	data, err := os.ReadFile("../../../aaif/registry/providers.json")
	if err != nil {
		t.Fatal(err)
	}
	var registry struct {
		Entries []struct {
			ID, Status string
			Compatible *bool `json:"openai_compatible"`
		}
	}
	if err := json.Unmarshal(data, &registry); err != nil || len(registry.Entries) < 17 {
		t.Fatal(err, registry)
	}
	for _, e := range registry.Entries {
		if _, ok := profiles()[e.ID]; ok != (e.Status == "standard" && e.ID != "custom") {
			t.Errorf("%s: %v", e.ID, ok)
		}
		if w := wireOf(e.ID); e.Compatible != nil && *e.Compatible && w != OpenAI && e.ID != "ollama" {
			t.Errorf("%s speaks %s", e.ID, w)
		}
	}
}
