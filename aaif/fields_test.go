package aaif_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// fieldMaps are the types of documents, each with how it is read and written.
func fieldMaps(t *testing.T) map[string]struct {
	kind  aaif.Kind
	typ   reflect.Type
	write func(canon.Value) canon.Value
} {
	t.Helper()
	type view = struct {
		kind  aaif.Kind
		typ   reflect.Type
		write func(canon.Value) canon.Value
	}
	return map[string]view{
		"agent":        {aaif.AgentKind, reflect.TypeFor[aaif.Definition](), func(v canon.Value) canon.Value { return aaif.ReadDefinition(v).Document() }},
		"state":        {aaif.StateKind, reflect.TypeFor[aaif.State](), func(v canon.Value) canon.Value { return aaif.ReadState(v).Document() }},
		"failed-state": {aaif.StateKind, reflect.TypeFor[aaif.State](), func(v canon.Value) canon.Value { return aaif.ReadState(v).Document() }},
		"manifest":     {aaif.ManifestKind, reflect.TypeFor[aaif.Manifest](), func(v canon.Value) canon.Value { return aaif.ReadManifest(v).Document() }},
		"report":       {aaif.ReportKind, reflect.TypeFor[aaif.Report](), func(v canon.Value) canon.Value { return aaif.ReadReport(v).Document() }},
	}
}

func TestDocumentsSurvive(t *testing.T) {
	for name, view := range fieldMaps(t) {
		v := sample(t, name).Value
		t.Run("AAIF-1.2-1 "+name+" comes back as it was", func(t *testing.T) {
			if got, want := string(view.write(v).Append(nil)), string(v.Append(nil)); got != want {
				t.Error(cmp.Diff(want, got))
			}
		})
		t.Run("AAIF-4-3 "+name+" keeps unknown members anywhere", func(t *testing.T) {
			odd := deepened(v)
			if got, want := string(view.write(odd).Append(nil)), string(odd.Append(nil)); got != want {
				t.Error(cmp.Diff(want, got))
			}
		})
		t.Run("AAIF-4-4 "+name+" has a field for each member of its schema", func(t *testing.T) {
			root := tree(t, string(aaif.Schema(view.kind)))
			compare(t, root, view.typ, "")
		})
	}
}

func TestWhatIsNeverDropped(t *testing.T) {
	v := sample(t, "agent").Value
	raw := toCBOR(t, aaif.ReadDefinition(aaif.FromJSONLD(aaif.ToJSONLD(v))).Document())
	back, err := aaif.Read(raw, aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	canonical := func(v canon.Value, pointer string) string {
		found, _ := v.At(pointer)
		return string(found.AppendCanonical(nil))
	}
	for id, pointer := range map[string]string{"AAIF-4.9-19 AAIF-3-4 compliance": "/agent/compliance", "AAIF-3-4 constraints": "/agent/constraints", "AAIF-4.1-3 AAIF-4.1-4 the id": "/agent_id", "AAIF-U.W-4 extensions": "/x-acme-metadata"} {
		t.Run(id+" survive every form", func(t *testing.T) {
			if want := canonical(v, pointer); want == "null" {
				t.Error("the sample has none")
			} else {
				expect(t, canonical(back.Value, pointer), want)
			}
		})
	}
}

// deepened adds a member to every object.
func deepened(v canon.Value) canon.Value {
	for i, item := range v.Items() {
		v = v.WithItem(i, deepened(item))
	}
	for _, m := range v.Members() {
		v = v.With(m.Name, deepened(m.Value))
	}
	if v.Type() == canon.TypeObject {
		v = v.With("unknown", tree(nil, `{"n":1.00,"t":[null]}`))
	}
	return v
}

// compare holds a type to the schema of what it is a view of.
func compare(t *testing.T, schema canon.Value, typ reflect.Type, at string) {
	t.Helper()
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		if typ.Kind() == reflect.Slice {
			schema = schema.Get("items")
		}
		typ = typ.Elem()
	}
	properties := schema.Get("properties")
	if typ.Kind() != reflect.Struct || properties.Type() != canon.TypeObject || typ == reflect.TypeFor[canon.Value]() {
		return
	}
	fields := map[string]reflect.StructField{}
	for i := range typ.NumField() {
		if tag, ok := typ.Field(i).Tag.Lookup("aaif"); ok {
			name, _, _ := strings.Cut(tag, "=")
			fields[strings.TrimSuffix(name, "!")] = typ.Field(i)
		}
	}
	for _, m := range properties.Members() {
		f, ok := fields[m.Name]
		if !ok && m.Name != "_comment" {
			t.Errorf("%s/%s has no field", at, m.Name)
			continue
		}
		if without := m.Value.Get("default"); without.Type() == canon.TypeString && ok {
			if _, tagged, _ := strings.Cut(f.Tag.Get("aaif"), "="); tagged != without.Text() {
				t.Errorf("%s/%s means %q without a word, not %q", at, m.Name, without.Text(), tagged)
			}
		}
		if ok {
			compare(t, m.Value, f.Type, at+"/"+m.Name)
			delete(fields, m.Name)
		}
	}
	for name := range fields {
		if !strings.HasPrefix(name, "x-") {
			t.Errorf("%s/%s has a field but no schema", at, name)
		}
	}
}

func TestDefaults(t *testing.T) {
	d := aaif.ReadDefinition(tree(t, minimal))
	t.Run("AAIF-4-5 the version", func(t *testing.T) { expect(t, d.Version, "3.4.0") })
	t.Run("AAIF-4-13 the strategy", func(t *testing.T) { expect(t, d.Agent.Model.Strategy, aaif.PreferredFirst) })
	t.Run("AAIF-4.1-7 the status", func(t *testing.T) { expect(t, d.Status, aaif.Active) })
	t.Run("AAIF-4.3-23 the iterations", func(t *testing.T) { expect(t, d.Agent.Orchestration.MaxIterations, 10) })
	t.Run("AAIF-4.6-4 the retries", func(t *testing.T) { expect(t, d.Agent.Runtime.Retries(), 2) })
	t.Run("AAIF-4.6-3 the concurrency", func(t *testing.T) { expect(t, d.Agent.Runtime.Concurrency, 1) })
	t.Run("AAIF-4.6-5 the backoff", func(t *testing.T) { expect(t, d.Agent.Runtime.Backoff, "exponential") })
	t.Run("AAIF-4.7-11 tracing and metrics", func(t *testing.T) {
		expect(t, d.Agent.Telemetry.Traces() && d.Agent.Telemetry.Measures(), true)
		expect(t, d.Agent.Telemetry.LogLevel, "info")
	})
	t.Run("AAIF-7-10 the safety level", func(t *testing.T) { expect(t, d.Agent.Compliance.Safety, aaif.Standard) })
	t.Run("AAIF-4.9-7 what is done with PII", func(t *testing.T) { expect(t, d.Agent.Compliance.PII, aaif.PIIDetect) })
	t.Run("AAIF-4.3-17 of handoffs, AAIF-4.4-3 of tools, AAIF-4.5-13 of memory", func(t *testing.T) {
		d := aaif.ReadDefinition(tree(t, `{"agent":{"tools":[{}],"memory":[{}],"orchestration":{"handoff":[{}]}}}`))
		h := d.Agent.Orchestration.Handoffs[0]
		expect(t, h.PassesContext() && !h.PassMemory, true)
		expect(t, d.Agent.Tools[0].Protocol, aaif.FunctionTool)
		expect(t, d.Agent.Tools[0].Auth.Type, "none")
		expect(t, d.Agent.Memory[0].TopK, 5)
	})
	t.Run("AAIF-8.1-1 of states", func(t *testing.T) { expect(t, aaif.ReadState(tree(t, `{}`)).Version, "3.0.0") })
	t.Run("AAIF-4.8-3 directions of metrics", func(t *testing.T) {
		for name, maximum := range map[string]bool{"faithfulness": false, "relevance": false, "coherence": false, "task_completion": false, "tool_call_accuracy": false,
			"toxicity": true, "hallucination_rate": true, "latency_ms": true, "cost_usd_per_run": true} {
			expect(t, aaif.Metric{Name: name}.IsMaximum(), maximum)
		}
	})
	t.Run("AAIF-4-5 none is written", func(t *testing.T) {
		expect(t, string(d.Document().Append(nil)), minimal)
	})
}

func expect[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWriting(t *testing.T) {
	t.Run("AAIF-8.1-1 a new state is valid", func(t *testing.T) {
		n := 0
		s := aaif.State{Standard: aaif.StandardID, ID: "d7e8f9a0-1234-4000-8000-000000000001", AgentID: "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01", Status: aaif.Paused, Iteration: &n,
			CheckpointAt: time.Date(2026, 6, 10, 9, 17, 43, 0, time.FixedZone("", 7200)), Conversation: []aaif.Message{{Role: "user"}}}
		want := `{"sc_standard":"SC-006","state_id":"d7e8f9a0-1234-4000-8000-000000000001","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","checkpoint_at":"2026-06-10T07:17:43Z","status":"paused","iteration":0,"conversation":[{"role":"user","content":""}]}`
		expect(t, string(s.Document().Append(nil)), want)
		if found := validator(t).Lint(aaif.Document{Kind: aaif.StateKind, Value: s.Document()}); len(found) != 0 {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-7-14 a new manifest says what there is not", func(t *testing.T) {
		m := aaif.Manifest{Standard: aaif.StandardID, Version: aaif.Version, Platform: aaif.Platform{Name: "Satchel", Version: "1", Level: aaif.Core}}
		v := m.Document()
		if mcp, ok := v.At("/platform/capabilities/tool/mcp"); !ok || mcp.Type() != canon.TypeBool {
			t.Errorf("got %s", v.Append(nil))
		}
		if found := validator(t).Lint(aaif.Document{Kind: aaif.ManifestKind, Value: v}); len(found) != 0 {
			t.Errorf("got %s", show(found))
		}
	})
	t.Run("AAIF-4-2 a new definition holds what it says, and nothing else", func(t *testing.T) {
		d := aaif.Definition{Standard: aaif.StandardID, Version: aaif.Version, Status: aaif.Active}
		d.Agent = aaif.Agent{Name: "Example Agent", Goal: "Assist users with their enquiries.", Runtime: aaif.Runtime{Backoff: "exponential"}}
		expect(t, string(d.Document().Append(nil)), minimal)
		d.Agent.Tools = []aaif.Tool{{Name: "add"}}
		v, _ := d.Document().At("/agent/tools/0")
		expect(t, string(v.Append(nil)), `{"name":"add","description":""}`)
	})
	t.Run("AAIF-1.2-1 what becomes false or zero is said", func(t *testing.T) {
		d := aaif.ReadDefinition(sample(t, "agent").Value)
		d.Agent.Compliance.AuditLog, d.Agent.Model.MinContext, d.Agent.Description = false, 0, ""
		v := d.Document()
		for pointer, want := range map[string]string{"/agent/compliance/audit_log": "false", "/agent/model/min_context_tokens": "0", "/agent/description": "null"} {
			got, _ := v.At(pointer)
			expect(t, string(got.Append(nil)), want)
		}
	})
	t.Run("AAIF-1.2-1 an edit changes nothing else", func(t *testing.T) {
		v := sample(t, "agent").Value
		d := aaif.ReadDefinition(v)
		zero, no := 0.0, false
		d.Agent.Name, d.Agent.Model.Temperature, d.Agent.Telemetry.Tracing = "Other", &zero, &no
		d.Agent.Tools[2].Timeout, d.Provenance.Signature, d.Agent.Skills = 5, "", nil
		d.Agent.Orchestration.Subagents[1].When = aaif.Condition{Lang: aaif.Always}
		want := set(v, "/agent/name", canon.String("Other"))
		want = set(set(want, "/agent/model/temperature", canon.Int(0)), "/agent/telemetry/tracing", canon.Bool(false))
		want = set(set(want, "/agent/tools/2/timeout_seconds", canon.Int(5)), "/agent/skills", canon.Value{})
		want = set(want, "/agent/orchestration/subagents/1/when", tree(t, `{"lang":"always"}`))
		if got := string(d.Document().Append(nil)); got != string(want.Append(nil)) {
			t.Error(cmp.Diff(string(want.Append(nil)), got))
		}
	})
}
