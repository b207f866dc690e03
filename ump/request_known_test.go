package ump_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestUnknownInDraft(t *testing.T) {
	f := &fake{}
	const created = `{"id":"urn:ump:new","result":"created"}`
	t.Run("UMP-3.3-9 text in a draft is body.text", func(t *testing.T) {
		for _, body := range []string{
			`{"record":{"text":"x"}}`, `{"text":"x"}`, `{"record":{"text":"x","body":{"text":"x"}}}`, `{"record":{"text":"x","body":null}}`,
			`{"record":{"text":"x","integrity":null}}`,
		} {
			want(t, f, ump.OpRemember, body, created)
			if got := string(f.draft.Record.Origin); f.draft.Record.Body.Text != "x" || got != `{"body":{"text":"x"}}` {
				t.Errorf("%s offers %s", body, got)
			}
		}
		want(t, f, ump.OpRemember, `{"text":"x","body":{"structured":{"mood":"calm"}}}`, created)
		if got := string(f.draft.Record.Origin); got != `{"body":{"structured":{"mood":"calm"},"text":"x"}}` {
			t.Errorf("offered %s", got)
		}
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2-6", "/record/text", `{"record":{"text":"x","body":{"text":"y"}}}`)
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2-6", "/record/text", `{"record":{"text":"x","body":{"text":5}}}`)
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2-6", "/text", `{"text":5}`)
	})
	t.Run("UMP-3.3-9 another unknown member of a draft is refused", func(t *testing.T) {
		for path, c := range map[string][2]string{
			"/record/own":                     {`"own":1`, "put what is your own into /record/body/structured"},
			"/record/project":                 {`"project":"garden"`, "did you mean /record/scope/project?"},
			"/record/type":                    {`"type":"episodic"`, "did you mean /record/kind?"},
			"/record/content":                 {`"content":"x"`, "did you mean /record/body/text?"},
			"/record/scope/projekt":           {`"scope":{"projekt":"garden"}`, "did you mean /record/scope/project?"},
			"/record/relations/0/targets":     {`"relations":[{"type":"a","target":"entity:b","targets":1}]`, "did you mean /record/relations/0/target?"},
			"/record/provenance/evidence/0/x": {`"provenance":{"evidence":[{"ref":"a","x":1}]}`, "put what is your own"},
			"/record/lifecycle/nothing":       {`"lifecycle":{"nothing":null}`, "put what is your own"},
		} {
			body := `{"record":{"body":{"text":"x"},` + c[0] + `}}`
			refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2-27", path, body)
			if _, err := call(f, ump.OpRemember, body); !strings.Contains(string(ump.ErrorEnvelope(err)), c[1]) {
				t.Errorf("%s: %s, want %s", body, ump.ErrorEnvelope(err), c[1])
			}
		}
	})
	t.Run("UMP-3.3-4 a signed record keeps what nobody here knows", func(t *testing.T) {
		signed := string(mustAuthor(t, `{"body":{"text":"x"},"text":"other","own":1}`).Origin)
		want(t, f, ump.OpRemember, `{"record":`+signed+`}`, created)
		if string(f.draft.Record.Origin) != signed {
			t.Errorf("offered %s", f.draft.Record.Origin)
		}
	})
}

func TestUnknownInPatch(t *testing.T) {
	f := &fake{}
	const revised = `{"id":"urn:ump:new","supersedes":["urn:ump:aaaa"]}`
	patch := func(p string) string { return `{"id":"urn:ump:aaaa","patch":` + p + `}` }
	t.Run("UMP-3.5-6 text in a patch is body.text", func(t *testing.T) {
		want(t, f, ump.OpRevise, patch(`{"text":"The user drinks matcha."}`), revised)
		if string(f.revision.Patch) != `{"body":{"text":"The user drinks matcha."}}` {
			t.Errorf("asked for %s", f.revision.Patch)
		}
		refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-2-6", "/patch/text", patch(`{"text":"x","body":{"text":"y"}}`))
		refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-2-6", "/patch/text", patch(`{"text":"x","body":{"text":["y"]}}`))
		refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-2-6", "/patch/text", patch(`{"text":null}`))
	})
	t.Run("UMP-3.5-6 another unknown member of a patch is refused", func(t *testing.T) {
		refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-2-27", "/patch/mood", patch(`{"mood":"calm"}`))
		refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-2-27", "/patch/body/mood", patch(`{"body":{"mood":"calm"}}`))
		want(t, f, ump.OpRevise, patch(`{"mood":null}`), revised) // takes away what a signed prior carries
		want(t, f, ump.OpRevise, patch(`{"body":{"structured":{"mood":1}}}`), revised)
	})
}

func TestStrictCall(t *testing.T) {
	f := &learner{fake{record: mustDecode(t, vaultNote)}}
	for op, c := range map[ump.Operation]struct{ known, path, advice string }{
		ump.OpCapabilities: {`"client":{"any":1}`, "/mode", "known here: client"},
		ump.OpRecall:       {`"query":"x","ranking_hints":{"any":1}`, "/mode", "known here: query"},
		ump.OpRemember:     {`"record":{"text":"x"}`, "/mode", "known here: record"},
		ump.OpGet:          {`"id":"urn:ump:aaaa"`, "/mode", "known here: id, view"},
		ump.OpRevise:       {`"id":"urn:ump:aaaa","patch":{}`, "/mode", "known here: id, patch"},
		ump.OpForget:       {`"id":"urn:ump:aaaa","reason":"other"`, "/mode", "did you mean /hard?"},
		ump.OpFeedback:     {`"id":"urn:ump:aaaa","outcome":"ignored"`, "/mode", "known here: id, outcome, session"},
	} {
		t.Run("UMP-3.2-1 "+string(op)+" takes or ignores an unknown argument", func(t *testing.T) {
			do := func(body string, strict bool) string {
				said, err := ump.Dispatch(context.Background(), f, ump.Call{Operation: op, Caller: agent, Body: []byte(body), Strict: strict})
				if err != nil {
					return string(ump.ErrorEnvelope(err))
				}
				return string(said)
			}
			for _, strict := range []bool{true, false} {
				if said := do("{"+c.known+"}", strict); strings.Contains(said, "warnings") || strings.Contains(said, "error") {
					t.Errorf("strict %t: %s", strict, said)
				}
			}
			body := "{" + c.known + `,"mode":"hard"}`
			if said := do(body, true); !strings.Contains(said, `"path":"/mode"`) || !strings.Contains(said, "invalid_record") || !strings.Contains(said, c.advice) {
				t.Errorf("strict: %s", said)
			}
			said := do(body, false)
			if strings.Contains(said, "error") || !strings.Contains(said, `"warnings":[{"path":"/mode","message":"is not known here and was ignored; `+c.advice) {
				t.Errorf("not strict: %s", said)
			}
			if err := validate(t, ump.ResponseSchema(op), said); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("an answer lists a bounded number of them", func(t *testing.T) {
		many := map[string]any{"query": "x"}
		for i := range 1000 {
			many["m"+strings.Repeat("x", i)] = i
		}
		body, err := json.Marshal(many)
		if err != nil {
			t.Fatal(err)
		}
		said, err := call(f, ump.OpRecall, string(body))
		if n := parse(t, []byte(said)).Get("warnings").Len(); err != nil || n != 20 {
			t.Errorf("%d warnings, %v", n, err)
		}
	})
}

func TestKnownMembersAreInSchema(t *testing.T) {
	for _, op := range append(ump.Operations(), ump.OpFeedback) {
		for _, m := range parse(t, ump.RequestSchema(op)).Get("properties").Members() {
			body := `{"` + m.Name + `":null}`
			_, err := ump.Dispatch(context.Background(), &learner{}, ump.Call{Operation: op, Caller: agent, Body: []byte(body), Strict: true})
			if err != nil && strings.Contains(err.Error(), "is not known here") {
				t.Errorf("UMP-4.1-4 %s: the schema lists %s: %v", op, m.Name, err)
			}
		}
	}
}
