package aaifsuite_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
)

var noon = aaiftest.Noon()

func read(t testing.TB, name string) canon.Value {
	t.Helper()
	raw, err := os.ReadFile("../../aaif/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := aaif.FromJSON(raw, aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// state is a checkpoint that is ready to leave.
func state(t testing.TB) canon.Value {
	t.Helper()
	source, err := aaiftest.NewSource("source.example", aaiftest.New("here.example", aaiftest.Noon))
	if err != nil {
		t.Fatal(err)
	}
	v, err := source.Ready(aaiftest.Checkpoint(), "here.example", "1")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func stream(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if err := handoff.Send(context.Background(), &b, state(t), handoff.SendOptions{Chunk: 1}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// failed are the rows that fail of a document.
func failed(t *testing.T, raw []byte, o aaifsuite.DocumentOptions) (aaifsuite.Examined, string) {
	t.Helper()
	e, err := aaifsuite.Examine(raw, o)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range e.Rows {
		if r.Outcome == conformance.Fail {
			ids = append(ids, r.ID)
		}
		if r.Title == "" || r.Section == "" {
			t.Errorf("%+v", r)
		}
	}
	if e.OK() != (len(ids) == 0) {
		t.Errorf("OK is %v of %v", e.OK(), ids)
	}
	slices.Sort(ids)
	return e, strings.Join(ids, " ")
}

func TestDocuments(t *testing.T) {
	registry, err := os.ReadFile("../../aaif/registry/providers.json")
	if err != nil {
		t.Fatal(err)
	}
	for kind, raw := range map[aaif.Kind][]byte{
		aaif.AgentKind: read(t, "agent").Append(nil), aaif.StateKind: state(t).Append(nil), aaif.ManifestKind: read(t, "manifest").Append(nil),
		aaif.ReportKind: read(t, "report").Append(nil), aaif.RegistryKind: registry, aaifsuite.HandoffKind: []byte(stream(t)),
	} {
		t.Run(string(kind), func(t *testing.T) {
			e, ids := failed(t, raw, aaifsuite.DocumentOptions{Now: noon})
			if ids != "" || e.Kind != kind || len(e.Rows) < 2 {
				t.Errorf("%s fails: %+v", ids, e)
			}
		})
	}
	t.Run("AAIF-9-3 the same in CBOR", func(t *testing.T) {
		raw, err := aaif.ToCBOR(read(t, "agent"))
		if err != nil {
			t.Fatal(err)
		}
		one, _ := failed(t, raw, aaifsuite.DocumentOptions{})
		two, _ := failed(t, read(t, "agent").Append(nil), aaifsuite.DocumentOptions{})
		if len(one.Rows) != len(two.Rows) || !slices.Equal(one.Levels, two.Levels) {
			t.Errorf("%+v and %+v", one, two)
		}
	})
}

// TestDocumentMutants breaks documents in one way each.
func TestDocumentMutants(t *testing.T) {
	agent, manifest := read(t, "agent"), read(t, "manifest")
	for _, c := range []struct {
		name, rows string
		raw        []byte
		o          aaifsuite.DocumentOptions
	}{
		{"no kind", "AAIF-2-1", []byte(`{"name":"x"}`), aaifsuite.DocumentOptions{}},
		{"doubled members", "AAIF-4-23", []byte(`{"agent":{"name":"a","name":"b"}}`), aaifsuite.DocumentOptions{}},
		{"a secret", "AAIF-12-3", put(agent, "agent/instructions", canon.String("use https://book:"+"q7Zx2Lr9Vb4Kd8Wm@ledger.example/")), aaifsuite.DocumentOptions{}},
		{"a secret of a tool", "AAIF-12-4", put(agent, "agent/tools", canon.Array(tool("https://book:"+"q7Zx2Lr9Vb4Kd8Wm@ledger.example/"))), aaifsuite.DocumentOptions{}},
		{"a condition that cannot be read", "AAIF-5-19", put(agent, "agent/orchestration/handoff", handoffWhen(t, "$.[")), aaifsuite.DocumentOptions{}},
		{"a newer edition", "AAIF-6-2 AAIF-U.D-1", put(agent, "sc_version", canon.String("9.0.0")), aaifsuite.DocumentOptions{Level: aaif.Core}},
		{"a level that it has", "", agent.Append(nil), aaifsuite.DocumentOptions{Level: aaif.Observable}},
		{"a level that it has not", "AAIF-6-8", agent.Append(nil), aaifsuite.DocumentOptions{Level: aaif.Enterprise}},
		{"two levels that it has not", "AAIF-6-10 AAIF-6-8", agent.Append(nil), aaifsuite.DocumentOptions{Level: aaif.Stateful}},
		{"another checksum", "AAIF-8.1-24", put(state(t), "iteration", canon.Int(9)), aaifsuite.DocumentOptions{}},
		{"no checksum, and no token to leave with", "", put(state(t), "provenance", canon.Object()), aaifsuite.DocumentOptions{}},
		{"a token, and no checksum", "AAIF-8.1-24", state(t).With("provenance", state(t).Get("provenance").Without("checksum")).Append(nil), aaifsuite.DocumentOptions{}},
		{"a token without signature", "AAIF-12-12", aaif.WithToken(state(t), "e30.e30.").Append(nil), aaifsuite.DocumentOptions{}},
		{"a manifest of yesterday", "AAIF-7-15", manifest.Append(nil), aaifsuite.DocumentOptions{Now: noon.Add(10000 * time.Hour)}},
		{"a level that is none", "AAIF-6-1", put(manifest, "platform/aaif_conformance_level", canon.String("Gold")), aaifsuite.DocumentOptions{}},
		{"frames out of order", "AAIF-8.3-3", []byte(swapped(stream(t))), aaifsuite.DocumentOptions{}},
		{"a frame that is missing", "AAIF-8.3-4", []byte(without(stream(t), `"index":1`)), aaifsuite.DocumentOptions{}},
		{"a message that was changed", "AAIF-8.3-9", []byte(strings.Replace(stream(t), "Book number 1.", "Book number 7.", 1)), aaifsuite.DocumentOptions{}},
		{"an unknown frame", "AAIF-8.3-2", []byte(strings.Replace(stream(t), `"memory_item"`, `"other_item"`, 1)), aaifsuite.DocumentOptions{}},
		{"no end", "AAIF-8.3-10", []byte(without(stream(t), "handoff_complete")), aaifsuite.DocumentOptions{}},
	} {
		t.Run(c.rows+" "+c.name, func(t *testing.T) {
			if e, ids := failed(t, c.raw, c.o); ids != c.rows {
				t.Errorf("%q fail, want %q: %+v", ids, c.rows, e.Rows)
			}
		})
	}
}

func tool(endpoint string) canon.Value {
	return canon.Object(canon.Member{Name: "name", Value: canon.String("book")}, canon.Member{Name: "description", Value: canon.String("Books.")},
		canon.Member{Name: "protocol", Value: canon.String("http")}, canon.Member{Name: "endpoint", Value: canon.String(endpoint)})
}

func handoffWhen(t *testing.T, expr string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(`[{"condition":{"lang":"jsonpath","expr":"`+expr+`"},"target_agent":"x"}]`), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// put changes a member of a document.
func put(v canon.Value, path string, to canon.Value) []byte {
	return placed(v, strings.Split(path, "/"), to).Append(nil)
}

func placed(v canon.Value, names []string, to canon.Value) canon.Value {
	if len(names) > 1 {
		to = placed(v.Get(names[0]), names[1:], to)
	}
	return v.With(names[0], to)
}

func swapped(stream string) string {
	lines := strings.SplitAfter(stream, "\n")
	lines[0], lines[1] = lines[1], lines[0]
	return strings.Join(lines, "")
}

func without(stream, with string) string {
	lines := strings.SplitAfter(stream, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, with) }), "")
}
