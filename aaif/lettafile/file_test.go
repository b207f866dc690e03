package lettafile_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/aaif/lettafile"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const file = `{"agents":[{"id":"agent-0","name":"Joiner","description":"Knows wood.","system":"You know wood.","agent_type":"letta_v1_agent","tags":["wood"],
	"block_ids":["block-0","block-9"],"memory_blocks":[{"label":"persona","value":"Calm."}],"tool_ids":["tool-0","tool-1","tool-2","tool-3"],
	"tool_rules":[{"tool_name":"saw","type":"requires_approval"},{"tool_name":"saw","type":"exit_loop"}],
	"llm_config":{"model":"joiner-large","model_endpoint_type":"openai","model_endpoint":"http://localhost:8000/v1","provider_name":"acme-ai","context_window":32000,
	"temperature":0.7,"max_tokens":900,"frequency_penalty":1.0,"reasoning_effort":"low","handle":"acme-ai/joiner-large"},
	"embedding_config":{"embedding_model":"e"},"tool_exec_environment_variables":{"SAW_KEY":"oak tree"},"secrets":null,"response_format":{"type":"json_object"},
	"messages":[{"role":"user","content":"Hello"}],"in_context_message_ids":["message-0"],"message_buffer_autoclear":false},
	{"id":"agent-1","name":"Painter","system":"You paint."}],
	"blocks":[{"id":"block-0","label":"human","value":"Mara. Works with oak.","limit":20000,"read_only":false,"description":"Who it is."},{"id":"block-1","label":"x","value":"y"}],
	"tools":[{"id":"tool-0","name":"saw","tool_type":"custom","source_type":"python","source_code":"def saw(): pass","description":"Saws.","default_requires_approval":null,
	"json_schema":{"name":"saw","description":"Saws.","parameters":{"type":"object","properties":{"length":{"type":"number"}},"required":["length"]}}},
	{"id":"tool-1","name":"send_message","tool_type":"letta_core","json_schema":{"name":"send_message"}},
	{"id":"tool-2","name":"find wood","tool_type":"external_mcp","tags":["mcp:wood shop"],"json_schema":{"name":"find wood","description":"Finds.","parameters":{"type":"object"}},"default_requires_approval":true},
	{"id":"tool-9","name":"other","tool_type":"custom","json_schema":{"name":"other"}}],
	"groups":[],"files":[],"sources":[],"mcp_servers":[{"server_name":"wood shop"}],"metadata":{"revision_id":"b1"},"created_at":"2026-02-03T10:00:00"}`

const old = `{"agent_type":"memgpt_agent","name":"Joiner","system":"You know wood.","core_memory":[{"label":"human","value":"Mara.","created_at":"2025-01-01T00:00:00Z"}],
	"llm_config":{"model":"gpt-4o","model_endpoint_type":"openai","handle":"openai/gpt-4o"},"tools":[{"name":"saw","source_code":"def saw(): pass","json_schema":{"name":"saw","description":"Saws."}}],
	"messages":[{"role":"user","content":"Hello"}],"in_context_message_indices":[0],"version":"0.6.1"}`

func from(v canon.Value) (aaif.Definition, []codec.Loss, error) {
	return lettafile.From(v, lettafile.Options{})
}

func TestLaws(t *testing.T) {
	silent := func(at string) bool { return strings.HasSuffix(at, "/id") }
	exchangetest.Reading(t, exchangetest.Reader{From: from, Silent: silent}, map[string]canon.Value{
		"a file": exchangetest.Tree(t, file), "an older file": exchangetest.Tree(t, old)})
}

func TestFrom(t *testing.T) {
	for _, c := range []struct{ name, raw, agent, want string }{
		{"AAIF-11-5 the first agent of a file", file, "", `{"sc_standard":"SC-006","sc_version":"3.4.0",` +
			`"agent":{"name":"Joiner","description":"Knows wood.","instructions":"You know wood.","model":{"response_format":"json","provider":"custom","provider_id":"acme-ai",` +
			`"preferred":"joiner-large","base_url":"http://localhost:8000/v1","temperature":0.7,"params":{"frequency_penalty":1.0,"max_tokens":900,"extended":{"reasoning_effort":"low"}}},` +
			`"memory":[{"scope":"user","content":"Calm.","key":"persona"},{"scope":"user","content":"Mara. Works with oak.","key":"human"}],` +
			`"tools":[{"name":"saw","description":"Saws.","parameters_schema":{"type":"object","properties":{"length":{"type":"number"}},"required":["length"]}},` +
			`{"name":"find_wood","description":"Finds.","parameters_schema":{"type":"object"},"protocol":"mcp","endpoint":"mcp://wood%20shop/find%20wood"}],` +
			`"compliance":{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"jsonlogic","expr":{"in":[{"var":"tool.name"},["find_wood","saw"]]},"nl":"the tool is one that asks for confirmation"}}},` +
			`"goal":"Knows wood."},"tags":["wood"],"provenance":{"source_platform":"letta","created_at":"2026-02-03T10:00:00Z"}}`},
		{"AAIF-11-5 another agent of it", file, "agent-1", `{"sc_standard":"SC-006","sc_version":"3.4.0","agent":{"name":"Painter","instructions":"You paint.","goal":"You paint."},` +
			`"provenance":{"source_platform":"letta","created_at":"2026-02-03T10:00:00Z"}}`},
		{"AAIF-11-5 an older file", old, "Joiner", `{"sc_standard":"SC-006","sc_version":"3.4.0","agent":{"name":"Joiner","instructions":"You know wood.","model":{"provider":"openai","preferred":"gpt-4o"},` +
			`"memory":[{"scope":"user","content":"Mara.","key":"human"}],"tools":[{"name":"saw","description":"Saws."}],"goal":"You know wood."},"provenance":{"source_platform":"letta"}}`},
		{"AAIF-11-5 a file in a string", string(canon.String(old).Append(nil)), "", `{"sc_standard":"SC-006","sc_version":"3.4.0","agent":{"name":"Joiner","instructions":"You know wood.","model":{"provider":"openai","preferred":"gpt-4o"},` +
			`"memory":[{"scope":"user","content":"Mara.","key":"human"}],"tools":[{"name":"saw","description":"Saws."}],"goal":"You know wood."},"provenance":{"source_platform":"letta"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := lettafile.Read([]byte(c.raw), aaif.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			d, _, err := lettafile.From(v, lettafile.Options{Agent: c.agent})
			if err != nil {
				t.Fatal(err)
			}
			exchangetest.Same(t, d, c.want)
		})
	}
}

func TestLosses(t *testing.T) {
	_, lost, err := from(exchangetest.Tree(t, file))
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for _, l := range lost {
		reasons[l.Pointer] = l.Reason
	}
	t.Run("AAIF-3-4 what has no place is listed", func(t *testing.T) {
		for at, words := range map[string]string{"": "AAIF-4-8", "/agents/0/agent_type": "", "/agents/0/block_ids/1": "", "/agents/0/tool_ids/3": "", "/agents/0/tool_rules/1": "",
			"/agents/0/llm_config/context_window": "", "/agents/0/embedding_config": "", "/agents/0/messages": "a run", "/agents/0/tool_exec_environment_variables": "AAIF-12-3",
			"/agents/1": "another agent", "/blocks/0/limit": "", "/blocks/0/description": "", "/blocks/1": "", "/tools/0/source_code": "nor run", "/tools/1": "not mapped",
			"/tools/2/json_schema/name": "find_wood", "/tools/3": "", "/mcp_servers": "", "/metadata": ""} {
			if reason, ok := reasons[at]; !ok || !strings.Contains(reason, words) {
				t.Errorf("%q is not listed so: %q", at, reason)
			}
		}
	})
	t.Run("AAIF-11-4 an agent that the file has not", func(t *testing.T) {
		for _, raw := range []string{file, old} {
			if _, _, err := lettafile.From(exchangetest.Tree(t, raw), lettafile.Options{Agent: "Nobody"}); aaif.CodeOf(err) != aaif.AgentUnknown {
				t.Errorf("got %v", err)
			}
		}
		if got := lettafile.Agents(exchangetest.Tree(t, file)); strings.Join(got, ",") != "Joiner,Painter" {
			t.Errorf("got %v", got)
		}
	})
}

// Files as Letta writes them.
func TestRealFiles(t *testing.T) {
	shared := os.Getenv("SATCHEL_SHARED")
	if shared == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	files, err := filepath.Glob(filepath.Join(shared, "data/formats/letta-af/*.af"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := lettafile.Read(raw, aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d, lost, err := from(v)
		if err != nil || d.Agent.Instructions == "" || len(d.Agent.Memory) == 0 || d.Agent.Model.Preferred == "" || len(lost) == 0 {
			t.Errorf("%s: %v %s", name, err, strconv.Quote(string(d.Document().Append(nil))))
		}
	}
}

func FuzzFrom(f *testing.F) {
	read := func(raw []byte) (canon.Value, error) { return lettafile.Read(raw, aaif.ReadOptions{}) }
	exchangetest.Fuzz(f, read, from, []byte(file), []byte(old), canon.String(old).Append(nil))
}
