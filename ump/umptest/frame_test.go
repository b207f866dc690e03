package umptest_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// payloads are the attempts to leave a frame that the room ump is tested with.
func payloads(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "injection", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads (%v)", err)
	}
	var all []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var group struct{ Payloads []string }
		if err := json.Unmarshal(data, &group); err != nil {
			t.Fatal(err)
		}
		all = append(all, group.Payloads...)
	}
	return all
}

func dispatch(t *testing.T, v *umptest.Vault, op ump.Operation, request map[string]any) json.RawMessage {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := ump.Dispatch(t.Context(), v, ump.Call{Operation: op, Caller: agent, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// nonce is the second word that a vault counts: the first is the id of its first
// record.
const nonce = "caaaaaaaaaaaaaaaaaaaaaaaaa"

func TestFramedRecall(t *testing.T) {
	for _, payload := range payloads(t) {
		text := strings.ReplaceAll(payload, "{nonce}", nonce) + " gate"
		v := umptest.New()
		dispatch(t, v, ump.OpRemember, map[string]any{"record": map[string]any{"kind": "procedural", "body": map[string]any{"text": text}}})
		var asked []string
		v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
			asked = append(asked, operation)
			return nil
		}
		answer := dispatch(t, v, ump.OpRecall, map[string]any{"query": "gate", "format": "framed", "budget": 100000})
		var got map[string]json.RawMessage
		var block string
		if err := json.Unmarshal(answer, &got); err != nil || json.Unmarshal(got["framed"], &block) != nil {
			t.Fatalf("%v in %s", err, answer)
		}
		lines := strings.Split(block, "\n")
		t.Run("UMP-5.3-1 UMP-5.3-6 what is remembered comes in a block of data and nowhere else", func(t *testing.T) {
			var said struct{ Text, Kind string }
			if !strings.Contains(lines[0], nonce) || len(got) != 3 || string(got["dropped"]) != "[]" || len(lines) != 4 || json.Unmarshal([]byte(lines[2]), &said) != nil || said.Text != text {
				t.Errorf("%q comes as %s", payload, answer)
			}
			var ids []memory.ID
			if err := json.Unmarshal(got["injected"], &ids); err != nil || len(ids) != 1 || !ump.ValidID(ids[0]) {
				t.Errorf("injected are %s", got["injected"])
			}
		})
		t.Run("UMP-5.3-8 UMP-5.3-9 nothing is done because a memory says so", func(t *testing.T) {
			r, err := v.Get(t.Context(), agent, "urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa", memory.CurrentView)
			if err != nil || r.Body.Text != text || r.Lifecycle.Status != memory.Active || v.Len() != 1 {
				t.Errorf("%q left %+v (%v), %d records", payload, r, err, v.Len())
			}
			if calls := strings.Join(asked, " "); calls != "rehydrate get" {
				t.Errorf("%q led to %s", payload, calls)
			}
		})
	}
}
