package agentspec_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/agentspec"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const agent = `# an agent with tools of every kind
component_type: Agent
id: 7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a09
name: Clerk
description: Keeps books.
metadata: {}
inputs:
- {title: question, type: string}
- {title: year, type: integer, default: 2026}
outputs: []
llm_config: {$component_ref: llm}
system_prompt: |
  Answer {{question}}.
human_in_the_loop: true
tools:
- component_type: ServerTool
  id: t1
  name: look up
  description: Looks up.
  inputs: [{title: id, type: string}, {type: string}]
  outputs: [{title: found, type: object}]
  requires_confirmation: false
- component_type: ClientTool
  name: ask
  description: null
- component_type: RemoteTool
  id: t3
  name: post
  description: Posts.
  url: https://books.example/{{id}}
  http_method: PUT
  data: {id: '{{id}}', fixed: 'yes'}
  headers: {X-Kind: clerk}
  sensitive_headers: {X-Who: someone}
  requires_confirmation: true
- {$component_ref: served}
- {$component_ref: nowhere}
- {component_type: BuiltinTool, name: magic}
toolboxes:
- component_type: MCPToolBox
  name: Box
  client_transport: {$component_ref: local}
  requires_confirmation: true
  tool_filter:
  - plain
  - {component_type: MCPToolSpec, id: s, name: described, description: Described., inputs: [{title: a, type: string}], requires_confirmation: false}
- component_type: MCPToolBox
  name: Whole
  tool_filter: null
$referenced_components:
  llm:
    component_type: VllmConfig
    id: llm
    name: books-model
    url: http://models.example:8000
    model_id: books-large
    api_type: chat_completions
    api_key: null
    default_generation_parameters: {temperature: 0.3, max_tokens: 500, top_k: 40}
  served:
    component_type: MCPTool
    name: audit
    description: Audits.
    client_transport: {component_type: SSETransport, id: x, name: x, url: 'https://mcp.example/sse', headers: null}
  local:
    component_type: StdioTransport
    name: local server
    command: run-it
    args: [--now]
agentspec_version: 26.2.0
`

const flow = `{"component_type":"Flow","name":"F","id":"f","start_node":{"$component_ref":"n"},"nodes":[{"$component_ref":"n"}],"agentspec_version":"25.4.1",
	"$referenced_components":{"n":{"component_type":"AgentNode","id":"n","name":"node","agent":{"component_type":"Agent","id":"a","name":"First","system_prompt":"One.","llm_config":{"$component_ref":"o"}}},
	"m":{"component_type":"Agent","id":"b","name":"Second","system_prompt":"Two.","llm_config":{"component_type":"LlmConfig","name":"l","model_id":"x","provider":"meta","api_provider":"openai"}},
	"o":{"component_type":"OciGenAiConfig","name":"oci","model_id":"cohere","compartment_id":"c","client_config":{"service_endpoint":"e"}}}}`

const special = `{"component_type":"SpecializedAgent","name":"S","agent":{"component_type":"Agent","name":"Base","system_prompt":"Joke.","llm_config":{"component_type":"OllamaConfig","name":"l","url":"http://localhost:11434","model_id":"llama3"},"tools":[]},
	"agent_specialization_parameters":{"component_type":"AgentSpecializationParameters","id":"p","name":"p","additional_instructions":"Of cats.","additional_tools":[{"component_type":"ServerTool","name":"cat","description":"Cats."}]}}`

func from(v canon.Value) (aaif.Definition, []codec.Loss, error) {
	return agentspec.From(v, agentspec.Options{})
}

func read(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := agentspec.Read([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLaws(t *testing.T) {
	silent := func(at string) bool {
		switch at {
		case "/agentspec_version", "/toolboxes/0/tool_filter/1/component_type", "/agent_specialization_parameters/component_type",
			"/toolboxes/0/tool_filter/1/requires_confirmation": // the box wants it already
			return true
		}
		return strings.HasSuffix(at, "/id")
	}
	exchangetest.Reading(t, exchangetest.Reader{From: from, Silent: silent}, map[string]canon.Value{
		"an agent": read(t, agent), "a flow": read(t, flow), "a specialised agent": read(t, special),
		"a manager": read(t, managed), "a swarm": read(t, fill(swarm, `"optional"`)), "a line": read(t, fill(line, "")), "a router": read(t, fill(fork, "start"))})
}

func TestFrom(t *testing.T) {
	for _, c := range []struct{ name, raw, agent, want string }{
		{"AAIF-11-5 an agent with tools", agent, "", `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a09","agent":{"name":"Clerk","description":"Keeps books.",` +
			`"instructions":"Answer {{question}}.\n","model":{"provider":"custom","provider_id":"vllm","preferred":"books-large","base_url":"http://models.example:8000/v1","temperature":0.3,` +
			`"params":{"max_tokens":500,"extended":{"top_k":40}}},` +
			`"io":{"input_schema":{"type":"object","properties":{"question":{"title":"question","type":"string"},"year":{"title":"year","type":"integer","default":2026}},"required":["question"]}},` +
			`"tools":[{"name":"look_up","description":"Looks up.","parameters_schema":{"type":"object","properties":{"id":{"title":"id","type":"string"}},"required":["id"]},` +
			`"output_schema":{"type":"object","properties":{"found":{"title":"found","type":"object"}},"required":["found"]}},{"name":"ask","description":""},` +
			`{"name":"post","description":"Posts.","protocol":"http","endpoint":"https://books.example/{id}"},` +
			`{"name":"audit","description":"Audits.","protocol":"mcp","endpoint":"https://mcp.example/sse"},` +
			`{"name":"plain","description":"","protocol":"mcp","endpoint":"mcp://local%20server/plain"},` +
			`{"name":"described","description":"Described.","parameters_schema":{"type":"object","properties":{"a":{"title":"a","type":"string"}},"required":["a"]},"protocol":"mcp","endpoint":"mcp://local%20server/described"}],` +
			`"compliance":{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"jsonlogic","expr":{"in":[{"var":"tool.name"},["post","plain","described"]]},"nl":"the tool is one that asks for confirmation"}}},` +
			`"goal":"Keeps books."},"provenance":{"source_platform":"agentspec"}}`},
		{"AAIF-11-5 a flow of one agent", flow, "", `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"ad3e08b4-c3dc-80b4-b047-10cdb9529d14","agent":{"name":"F","goal":"F","orchestration":{"role":"orchestrator",` +
			`"subagents":[{"ref":"35821ff9-037b-8d53-86cd-c8227c7bd246","alias":"First","role":"worker"}],"pipeline":["First"]}},"provenance":{"source_platform":"agentspec"}}`},
		{"AAIF-10-5 the first agent of a flow", flow, "First", `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"35821ff9-037b-8d53-86cd-c8227c7bd246","agent":{"name":"First","instructions":"One.",` +
			`"model":{"provider":"custom","provider_id":"oci","preferred":"cohere"},"goal":"One."},"provenance":{"source_platform":"agentspec"}}`},
		{"AAIF-11-5 another agent of it", flow, "Second", `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"3c9169dd-ef58-8c48-8201-bf7806f12502","agent":{"name":"Second","instructions":"Two.",` +
			`"model":{"provider":"openai","preferred":"x"},"goal":"Two."},"provenance":{"source_platform":"agentspec"}}`},
		{"AAIF-11-5 a specialised agent", special, "", `{"sc_standard":"SC-006","sc_version":"3.4.0","agent":{"name":"Base","instructions":"Joke.\n\nOf cats.",` +
			`"model":{"provider":"ollama","preferred":"llama3","base_url":"http://localhost:11434/v1"},"tools":[{"name":"cat","description":"Cats."}],"goal":"Joke."},"provenance":{"source_platform":"agentspec"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _, err := agentspec.From(read(t, c.raw), agentspec.Options{Agent: c.agent})
			if err != nil {
				t.Fatal(err)
			}
			exchangetest.Same(t, d, c.want)
		})
	}
}

func TestLosses(t *testing.T) {
	t.Run("AAIF-3-4 what has no place is listed", func(t *testing.T) {
		_, lost, err := from(read(t, agent))
		if err != nil {
			t.Fatal(err)
		}
		reasons := map[string]string{}
		for _, l := range lost {
			reasons[l.Pointer] = l.Reason
		}
		for at, words := range map[string]string{"": "AAIF-4-8", "/human_in_the_loop": "", "/tools/0/name": "look_up", "/tools/0/inputs/1": "", "/tools/1/component_type": "client",
			"/tools/2/http_method": "POST", "/tools/2/data/fixed": "", "/tools/2/headers": "", "/tools/2/sensitive_headers": "AAIF-12-3", "/tools/4/$component_ref": "not in the document", "/tools/5": "",
			"/toolboxes/1": "names neither", "/$referenced_components/local/command": "not taken over", "/$referenced_components/local/args": "", "/$referenced_components/llm/name": ""} {
			if reason, ok := reasons[at]; !ok || !strings.Contains(reason, words) {
				t.Errorf("%q is not listed so: %q of %v", at, reason, lost)
			}
		}
	})
	t.Run("AAIF-3-4 a flow and other agents are listed", func(t *testing.T) {
		_, lost, err := agentspec.From(read(t, flow), agentspec.Options{Agent: "First"})
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		for _, l := range lost {
			told[l.Pointer] = true
		}
		for _, at := range []string{"/start_node", "/nodes", "/name", "/$referenced_components/m", "/$referenced_components/n/name", "/$referenced_components/o/client_config"} {
			if !told[at] {
				t.Errorf("%q is not listed: %v", at, lost)
			}
		}
	})
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		code aaif.Code
	}{
		"neither":               {"\t", aaif.NotJSON},
		"a list":                {"- a", aaif.NotJSON},
		"two documents":         {"a: 1\n---\nb: 1", aaif.NotJSON},
		"an anchor":             {"a: &x 1\nb: *x", aaif.NotJSON},
		"a tag":                 {"a: !!python/object:os.system x", aaif.NotJSON},
		"a merge":               {"a: {b: 1}\n<<: {c: 1}", aaif.NotJSON},
		"a member twice":        {"a: 1\na: 2", aaif.DuplicateKey},
		"a member twice, JSON":  {`{"a":1,"a":2}`, aaif.DuplicateKey},
		"deep":                  {"a: " + strings.Repeat("[", 70) + strings.Repeat("]", 70), aaif.TooLarge},
		"large":                 {"a: " + strings.Repeat("x", 5<<20), aaif.TooLarge},
		"of another format":     {`{"name":"x"}`, aaif.UnknownType},
		"a flow without agents": {`{"component_type":"Flow"}`, aaif.AgentUnknown},
		"two of one reference":  {`{"component_type":"Agent","name":"a","$referenced_components":{"x":{"$referenced_components":{"x":{}}}}}`, aaif.Duplicated},
		"an agent with no name": {`{"component_type":"Agent"}`, aaif.UnknownType},
	} {
		t.Run("AAIF-4-1 "+name, func(t *testing.T) {
			v, err := agentspec.Read([]byte(c.raw), aaif.ReadOptions{})
			if err == nil {
				_, _, err = from(v)
			}
			if aaif.CodeOf(err) != c.code {
				t.Errorf("got %v (%s), want %s", err, aaif.CodeOf(err), c.code)
			}
		})
	}
	t.Run("AAIF-4-1 references in a circle end", func(t *testing.T) {
		v := read(t, `{"component_type":"Agent","name":"a","llm_config":{"$component_ref":"x"},"$referenced_components":{"x":{"$component_ref":"y"},"y":{"$component_ref":"x"}}}`)
		if _, lost, err := from(v); err != nil || len(lost) == 0 {
			t.Errorf("got %v %v", lost, err)
		}
	})
	t.Run("AAIF-4-1 YAML stays what it says", func(t *testing.T) {
		v := read(t, "a: 2026-01-01\nb: 017\nc: yes\nd: 1.50\ne: ~\nf: true\ng: 0x10\nh: .5\ni: 9007199254740993")
		want := `{"a":"2026-01-01","b":"017","c":"yes","d":1.50,"e":null,"f":true,"g":"0x10","h":0.5,"i":9007199254740993}`
		if got := string(v.Append(nil)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("AAIF-11-4 the agents of a document", func(t *testing.T) {
		if got := agentspec.Agents(read(t, flow)); strings.Join(got, ",") != "F,First,Second" {
			t.Errorf("got %v", got)
		}
	})
}

func FuzzFrom(f *testing.F) {
	read := func(raw []byte) (canon.Value, error) { return agentspec.Read(raw, aaif.ReadOptions{}) }
	exchangetest.Fuzz(f, read, from, []byte(agent), []byte(flow), []byte(special))
}
