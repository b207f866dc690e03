package ump_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// fake is a backend that answers what it was given and keeps what it was asked.
type fake struct {
	hits       []memory.Hit
	record     memory.Record
	err        error
	calls      int
	caller     memory.Caller
	query      memory.Query
	draft      memory.Draft
	id         memory.ID
	view       memory.View
	revision   memory.Revision
	forgetting memory.ForgetRequest
	forgotten  memory.ForgetOutcome // what forget answers; empty: as it was asked
	outcome    string
}

var (
	_ ump.Backend    = (*fake)(nil)
	_ ump.Learner    = (*learner)(nil)
	_ ump.Rehydrator = (*framer)(nil)
)

func (f *fake) Capabilities(_ context.Context, c memory.Caller) (memory.Capabilities, error) {
	f.calls, f.caller = f.calls+1, c
	return memory.Capabilities{Name: "satchel", Release: "1.2.3", UMP: ump.Edition, Conformance: "L2", Bindings: []string{"mcp", "file"}, MaxRecall: 50, Writable: true, Owner: c.Owner}, f.err
}

func (f *fake) Recall(_ context.Context, _ memory.Caller, q memory.Query) ([]memory.Hit, error) {
	f.calls, f.query = f.calls+1, q
	return f.hits, f.err
}

func (f *fake) Remember(_ context.Context, c memory.Caller, d memory.Draft) (memory.RememberResult, error) {
	f.calls, f.caller, f.draft = f.calls+1, c, d
	return memory.RememberResult{ID: "urn:ump:new", Outcome: memory.Created}, f.err
}

func (f *fake) Get(_ context.Context, _ memory.Caller, id memory.ID, view memory.View) (memory.Record, error) {
	f.calls, f.id, f.view = f.calls+1, id, view
	return f.record, f.err
}

func (f *fake) Revise(_ context.Context, _ memory.Caller, r memory.Revision) (memory.RevisionResult, error) {
	f.calls, f.revision = f.calls+1, r
	return memory.RevisionResult{ID: "urn:ump:new", Supersedes: []memory.ID{r.ID}}, f.err
}

func (f *fake) Forget(_ context.Context, _ memory.Caller, x memory.ForgetRequest) (memory.ForgetOutcome, error) {
	f.calls, f.forgetting = f.calls+1, x
	if f.forgotten != "" {
		return f.forgotten, f.err
	}
	if x.Hard {
		return memory.AsErased, f.err
	}
	return memory.AsTombstone, f.err
}

// learner is a fake that takes feedback.
type learner struct{ fake }

func (l *learner) Feedback(_ context.Context, _ memory.Caller, id memory.ID, outcome, session string) error {
	l.id, l.outcome = id, outcome+"/"+session
	return l.err
}

// framer is a fake that frames what it recalls.
type framer struct {
	fake
	framed memory.Frame
}

func (f *framer) Rehydrate(_ context.Context, c memory.Caller, q memory.Query) (memory.Frame, error) {
	f.calls, f.caller, f.query = f.calls+1, c, q
	return f.framed, f.err
}

var agent = memory.Caller{Owner: ownerDID, Role: memory.Agent, Agent: "planner"}

// call dispatches a request and returns the answer, or the error envelope.
func call(b ump.Backend, op ump.Operation, body string) (string, error) {
	answer, err := ump.Dispatch(context.Background(), b, ump.Call{Operation: op, Caller: agent, Body: []byte(body), Key: "k1"})
	return string(answer), err
}

func want(t *testing.T, b ump.Backend, op ump.Operation, body, answer string) {
	t.Helper()
	if got, err := call(b, op, body); err != nil || got != answer {
		t.Errorf("%s %s answers %s, %v; want %s", op, body, got, err, answer)
	}
}

// refuse checks that a request is refused before it reaches the backend.
func refuse(t *testing.T, op ump.Operation, kind memory.ErrorKind, rule, path, body string) {
	t.Helper()
	f := &learner{}
	got, err := call(f, op, body)
	if memory.KindOf(err) != kind || f.calls > 0 {
		t.Errorf("%s %s answers %s, %v; want %s", op, body, got, err, kind)
		return
	}
	var envelope struct {
		Error struct {
			Code, Message string
			Details       struct{ Path, Rule string }
		}
	}
	if err := json.Unmarshal(ump.ErrorEnvelope(err), &envelope); err != nil {
		t.Fatal(err)
	}
	if e := envelope.Error; e.Code != string(kind) || e.Message == "" || e.Details.Rule != rule || e.Details.Path != path {
		t.Errorf("%s %s: envelope is %+v, want %s at %q for %s", op, body, e, kind, path, rule)
	}
}

func TestCapabilities(t *testing.T) {
	const answer = `{"server":{"name":"satchel","version":"1.2.3"},"ump":"0.1","conformance":"L2","kinds":["semantic","episodic","procedural","working","identity"],` +
		`"bindings":["mcp","file"],"retrieval_signals":["similarity","recency","salience","scope_match","provenance_depth"],"max_recall":50,"writable":true,"owner":"` + string(ownerDID) + `"}`
	t.Run("UMP-3.1-1 the request does not matter", func(t *testing.T) {
		want(t, &fake{}, ump.OpCapabilities, ``, answer)
		want(t, &fake{}, ump.OpCapabilities, `{}`, answer)
		want(t, &fake{}, ump.OpCapabilities, `{"client":{"name":"x","ump":"9"}}`, answer)
	})
	t.Run("UMP-3.1-2 the answer has exactly eight members besides the owner", func(t *testing.T) {
		answer, err := ump.Dispatch(context.Background(), &fake{}, ump.Call{Operation: ump.OpCapabilities})
		var names []string
		for _, m := range parse(t, answer).Members() {
			names = append(names, m.Name)
		}
		slices.Sort(names)
		const eight = "bindings conformance kinds max_recall retrieval_signals server ump writable"
		if err != nil || strings.Join(names, " ") != eight || parse(t, answer).Get("kinds").Len() != 5 {
			t.Errorf("%s, %v", answer, err)
		}
	})
	t.Run("UMP-0-1 the edition is 0.1", func(t *testing.T) {
		if ump.Edition != "0.1" {
			t.Errorf("it is %s", ump.Edition)
		}
	})
}

func TestRecall(t *testing.T) {
	f := &fake{}
	t.Run("UMP-3.2-1 all but the query is optional", func(t *testing.T) {
		want(t, f, ump.OpRecall, `{"query":"gate","later":true,"filter":{"new":1},"scope":{"projet":"x"}}`, `{"results":[],"warnings":[`+
			`{"path":"/later","message":"is not known here and was ignored; known here: query, also, scope, filter, limit, budget, ranking_hints, format"},`+
			`{"path":"/scope/projet","message":"is not known here and was ignored; did you mean /scope/project?"},`+
			`{"path":"/filter/new","message":"is not known here and was ignored; known here: kind, status, valid_at"}]}`)
		if f.query.Text != "gate" || f.query.Limit != 0 || !f.query.Filter.ValidAt.IsZero() {
			t.Errorf("asked %+v", f.query)
		}
		want(t, f, ump.OpRecall, `{"query":"gate","scope":{"owner":"o","user":"u","project":"p","agent":"a","session":"s","visibility":"shared"},"filter":{"kind":["semantic","identity"],"valid_at":"2026-06-04T12:00:00+02:00","status":["candidate"]},"limit":8,"ranking_hints":{"prefer":["recency","x"]},"budget":100}`, `{"results":[]}`)
		q := f.query
		if q.Scope != (memory.Scope{Owner: "o", User: "u", Project: "p", Agent: "a", Session: "s", Visibility: memory.Shared}) ||
			len(q.Filter.Kinds) != 2 || !q.Filter.ValidAt.Equal(birthTime) || q.Filter.Statuses[0] != memory.Candidate || q.Limit != 8 || q.Budget != 100 || q.Prefer[0] != "recency" {
			t.Errorf("asked %+v", q)
		}
	})
	t.Run("UMP-3.2-1 null is as good as absent", func(t *testing.T) {
		want(t, f, ump.OpRecall, `{"query":"gate","scope":null,"filter":{"kind":null,"valid_at":null,"status":null},"limit":null,"ranking_hints":null,"budget":null,"also":null}`, `{"results":[]}`)
	})
	t.Run("UMP-3.2-2 the query says something", func(t *testing.T) {
		for _, body := range []string{``, `{}`, `{"query":""}`, `{"query":" \n\t"}`, `{"query":5}`, `{"query":null}`} {
			refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-2", "/query", body)
		}
	})
	t.Run("other wordings are an array of texts, or one", func(t *testing.T) {
		for also, said := range map[string][]string{
			`["a, b","c"]`: {"a, b", "c"}, `"a, b"`: {"a, b"}, `[]`: nil, `""`: nil, `["a"," ","b"]`: {"a", "b"}, `["1","2","3","4","5"]`: {"1", "2", "3", "4", "5"},
		} {
			want(t, f, ump.OpRecall, `{"query":"x","also":`+also+`}`, `{"results":[]}`)
			if !slices.Equal(f.query.Also, said) || f.query.Text != "x" {
				t.Errorf("%s: asked %+v", also, f.query)
			}
		}
		for also, place := range map[string]string{
			`5`: "/also", `{}`: "/also", `true`: "/also", `["a",5]`: "/also/1", `[null]`: "/also/0", `[["a"]]`: "/also/0",
			`["1","2","3","4","5","6"]`: "/also/5", `["1","2","3","4","5","6","7"]`: "/also/5",
			`["a","` + strings.Repeat("x", 1<<20+1) + `"]`: "/also/1",
		} {
			refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-1", place, `{"query":"x","also":`+also+`}`)
		}
	})
	t.Run("UMP-3.2-6 filter.kind names kinds", func(t *testing.T) {
		refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-6", "/filter/kind/1", `{"query":"x","filter":{"kind":["semantic","foo"]}}`)
		refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-6", "/filter/kind", `{"query":"x","filter":{"kind":5}}`)
		want(t, f, ump.OpRecall, `{"query":"x","filter":{"kind":"episodic"}}`, `{"results":[]}`)
		if len(f.query.Filter.Kinds) != 1 {
			t.Errorf("asked %+v", f.query)
		}
	})
	t.Run("UMP-3.2-7 valid_at is a time", func(t *testing.T) {
		refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-7", "/filter/valid_at", `{"query":"x","filter":{"valid_at":"yesterday"}}`)
		refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-7", "/filter/valid_at", `{"query":"x","filter":{"valid_at":5}}`)
	})
	t.Run("UMP-3.2-9 ranking hints never fail", func(t *testing.T) {
		for _, hints := range []string{`{}`, `5`, `{"prefer":"recency"}`, `{"prefer":[5,"moon"]}`, `[]`} {
			want(t, f, ump.OpRecall, `{"query":"x","ranking_hints":`+hints+`}`, `{"results":[]}`)
		}
	})
	t.Run("UMP-3.2-10 limit is a positive whole number", func(t *testing.T) {
		for _, limit := range []string{`0`, `-1`, `1.5`, `"1.5"`, `"eight"`, `"-8"`, `""`, `true`, `[]`} {
			refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-10", "/limit", `{"query":"x","limit":`+limit+`}`)
		}
		for limit, want := range map[string]int{`1000`: 1000, `1e3`: 1000, `1e300`: math.MaxInt32, `1.0`: 1, `"8"`: 8, `" 3.0 "`: 3} {
			if _, err := call(f, ump.OpRecall, `{"query":"x","limit":`+limit+`}`); err != nil || f.query.Limit != want {
				t.Errorf("limit %s is %d, %v", limit, f.query.Limit, err)
			}
		}
	})
	t.Run("UMP-2-12 visibility and status are words that exist", func(t *testing.T) {
		refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-2-12", "/scope/visibility", `{"query":"x","scope":{"visibility":"team"}}`)
		refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-2-20", "/filter/status/0", `{"query":"x","filter":{"status":["gone"]}}`)
		refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-2-8", "/scope", `{"query":"x","scope":[]}`)
	})
}

func TestRecallAnswer(t *testing.T) {
	form := `{"x":1,"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"a"},"scope":{"owner":"o"},"time":{"created":"2026-06-04T10:00:00.0Z"}}`
	r := mustDecode(t, form)
	f := &fake{hits: []memory.Hit{{Record: r, Signals: memory.Signals{Similarity: 0.5, Recency: 1, Salience: math.NaN(), ScopeMatch: 0.25, ProvenanceDepth: 2}, Score: 0.75, Why: []string{"words"}}}}
	t.Run("UMP-3.2-3 UMP-3.2-11 a result has record, signals and score and nothing else", func(t *testing.T) {
		want(t, f, ump.OpRecall, `{"query":"x"}`, `{"results":[{"record":`+form+`,"signals":{"similarity":0.5,"recency":1,"salience":0,"scope_match":0.25,"provenance_depth":2},"score":0.75}]}`)
	})
	t.Run("a record without a document is rendered", func(t *testing.T) {
		f.hits[0].Record.Origin = nil
		answer, err := call(f, ump.OpRecall, `{"query":"x"}`)
		v, _ := parse(t, []byte(answer)).At("/results/0/record/body/text")
		if err != nil || v.Text() != "a" {
			t.Errorf("%s, %v", answer, err)
		}
	})
	t.Run("UMP-3.7-6 a damaged record is our fault, and not shown", func(t *testing.T) {
		f.hits[0].Record.Origin = []byte(`{"text":"swordfish`)
		_, err := call(f, ump.OpRecall, `{"query":"x"}`)
		if memory.KindOf(err) != memory.Internal || strings.Contains(string(ump.ErrorEnvelope(err)), "swordfish") {
			t.Errorf("%v", err)
		}
	})
}

func TestRecallFramed(t *testing.T) {
	f := &framer{framed: memory.Frame{
		Text: "<a>\n{}", Injected: []memory.ID{"urn:ump:a", "urn:ump:b"}, Dropped: []memory.DroppedRecord{{ID: "urn:ump:c", Reason: "budget"}},
	}}
	t.Run("UMP-5.3-6 a framed answer is a block of its own, with what is in it and what is not", func(t *testing.T) {
		want(t, f, ump.OpRecall, `{"query":"x","format":"framed","budget":300}`,
			`{"framed":"<a>\n{}","injected":["urn:ump:a","urn:ump:b"],"dropped":[{"id":"urn:ump:c","reason":"budget"}]}`)
		if f.caller != agent || f.query.Text != "x" || f.query.Budget != 300 {
			t.Errorf("asked %+v by %+v", f.query, f.caller)
		}
		want(t, &framer{}, ump.OpRecall, `{"query":"x","format":"framed"}`, `{"framed":"","injected":[],"dropped":[]}`)
	})
	t.Run("UMP-3.2-1 without a format the answer is as it always was", func(t *testing.T) {
		for _, body := range []string{`{"query":"x"}`, `{"query":"x","format":"json"}`, `{"query":"x","format":null}`} {
			want(t, f, ump.OpRecall, body, `{"results":[]}`)
			want(t, &fake{}, ump.OpRecall, body, `{"results":[]}`)
		}
	})
	t.Run("UMP-3.2-1 a format is one of two", func(t *testing.T) {
		for _, format := range []string{`"xml"`, `""`, `5`, `["framed"]`, `"Framed"`} {
			refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-1", "/format", `{"query":"x","format":`+format+`}`)
		}
	})
	t.Run("UMP-3.7-4 where nothing is framed it is unsupported", func(t *testing.T) {
		refuse(t, ump.OpRecall, memory.Unsupported, "UMP-3.7-4", "/format", `{"query":"x","format":"framed"}`)
	})
	t.Run("a refusal comes through", func(t *testing.T) {
		refusing := &framer{fake: fake{err: &memory.Error{Kind: memory.ForbiddenScope}}}
		if _, err := call(refusing, ump.OpRecall, `{"query":"x","format":"framed"}`); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("%v", err)
		}
	})
}

func TestRemember(t *testing.T) {
	f := &fake{}
	const created = `{"id":"urn:ump:new","result":"created"}`
	t.Run("UMP-3.3-1 a record with or without its wrapper", func(t *testing.T) {
		for _, body := range []string{`{"record":{"body":{"text":"x"},"kind":"semantic"}}`, `{"body":{"text":"x"},"kind":"semantic"}`} {
			want(t, f, ump.OpRemember, body, created)
			d := f.draft
			if d.Record.Body.Text != "x" || d.Record.Kind != memory.Semantic || d.Record.Scope.Owner != ownerDID || d.Complete || d.Key != "k1" || string(d.Record.Origin) != `{"body":{"text":"x"},"kind":"semantic"}` || f.caller != agent {
				t.Errorf("offered %+v by %+v", d, f.caller)
			}
		}
	})
	t.Run("UMP-3.3-3 time that is given is kept", func(t *testing.T) {
		want(t, f, ump.OpRemember, `{"record":{"body":{"text":"x"},"time":{"valid_from":"2026-06-04T12:00:00+02:00"}}}`, created)
		if !f.draft.Record.Time.ValidFrom.Equal(birthTime) || !f.draft.Record.Time.Created.IsZero() {
			t.Errorf("offered %+v", f.draft.Record.Time)
		}
	})
	t.Run("UMP-3.3-4 a signed record is complete and stays as it is", func(t *testing.T) {
		signed := string(mustAuthor(t, `{"body":{"text":"x"}}`).Origin)
		want(t, f, ump.OpRemember, `{"record":`+signed+`}`, created)
		if !f.draft.Complete || string(f.draft.Record.Origin) != signed {
			t.Errorf("offered %+v", f.draft)
		}
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2-14", "/record/time/created", `{"record":`+strings.Replace(signed, `"created":"2026-06-04T10:00:00Z"`, ``, 1)+`}`)
	})
	t.Run("UMP-3.3-6 the outcome is reported", func(t *testing.T) {
		want(t, f, ump.OpRemember, `{"body":{"text":"x"}}`, created)
	})
	t.Run("UMP-3.3-7 a contradictory policy is refused", func(t *testing.T) {
		refuse(t, ump.OpRemember, memory.ConsentViolation, "UMP-3.3-7", "/record/consent/exportable", `{"record":{"body":{"text":"x"},"scope":{"visibility":"public"},"consent":{"exportable":false}}}`)
	})
	t.Run("UMP-3.3-9 a malformed draft is refused", func(t *testing.T) {
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2-5", "/record/body", `{"record":{"kind":"semantic"}}`)
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2-5", "/body", `{}`)
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2-1", "/record", `{"record":"x"}`)
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-2.6-2", "/provenance/actor_kind", `{"body":{"text":"x"},"provenance":{"actor":"a","actor_kind":"human","method":"m"}}`)
	})
	t.Run("UMP-3.3-13 a draft is no tombstone", func(t *testing.T) {
		refuse(t, ump.OpRemember, memory.InvalidRecord, "UMP-3.3-13", "/lifecycle/status", `{"body":{"text":"x"},"lifecycle":{"status":"tombstoned"}}`)
	})
	t.Run("UMP-3.7-4 an unknown edition is unsupported", func(t *testing.T) {
		refuse(t, ump.OpRemember, memory.Unsupported, "UMP-2-2", "/record/ump", `{"record":{"ump":"9.0","body":{"text":"x"}}}`)
	})
	t.Run("UMP-2.5-4 a link to nowhere is allowed", func(t *testing.T) {
		want(t, f, ump.OpRemember, `{"body":{"text":"x"},"relations":[{"type":"derived_from","target":"urn:ump:nowhere"}]}`, created)
	})
}

func TestGet(t *testing.T) {
	form := `{"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"a"},"scope":{"owner":"o"},"time":{"created":"2026-06-04T10:00:00.0Z"},"superseded_by":[]}`
	f := &fake{record: mustDecode(t, form)}
	t.Run("UMP-3.4-1 the record comes as it is stored", func(t *testing.T) {
		want(t, f, ump.OpGet, `{"id":"urn:ump:aaaa"}`, `{"record":`+form+`}`)
		if f.id != "urn:ump:aaaa" || f.view != memory.CurrentView {
			t.Errorf("asked for %s, %s", f.id, f.view)
		}
		want(t, f, ump.OpGet, `{"id":"urn:ump:aaaa","view":"origin"}`, `{"record":`+form+`}`)
		if f.view != memory.OriginView {
			t.Errorf("asked for %s", f.view)
		}
		refuse(t, ump.OpGet, memory.InvalidRecord, "UMP-3.4-1", "/view", `{"id":"urn:ump:aaaa","view":"x"}`)
	})
	t.Run("UMP-3.4-5 an id is given", func(t *testing.T) {
		for _, body := range []string{``, `{}`, `{"id":""}`, `{"id":5}`} {
			refuse(t, ump.OpGet, memory.InvalidRecord, "UMP-3.4-5", "/id", body)
		}
		refuse(t, ump.OpGet, memory.NotFound, "UMP-3.4-2", "/id", `{"id":"x y"}`)
	})
}

func TestRevise(t *testing.T) {
	f := &fake{}
	t.Run("UMP-3.5-1 the answer names the new record and the old", func(t *testing.T) {
		want(t, f, ump.OpRevise, `{"id":"urn:ump:aaaa","patch":{"body":{"text":"y"},"consent":null}}`, `{"id":"urn:ump:new","supersedes":["urn:ump:aaaa"]}`)
		if f.revision.ID != "urn:ump:aaaa" || string(f.revision.Patch) != `{"body":{"text":"y"},"consent":null}` || f.revision.Key != "k1" {
			t.Errorf("asked for %+v", f.revision)
		}
		refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-3.5-1", "/patch", `{"id":"urn:ump:aaaa"}`)
		refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-3.5-1", "/patch", `{"id":"urn:ump:aaaa","patch":[]}`)
		refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-3.5-1", "/id", `{"patch":{}}`)
	})
	t.Run("UMP-3.5-6 a patch leaves a record", func(t *testing.T) {
		for path, patch := range map[string]string{"/patch/body": `{"body":[1]}`, "/patch/scope": `{"scope":null}`, "/patch/time": `{"time":"now"}`} {
			refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-3.5-6", path, `{"id":"urn:ump:aaaa","patch":`+patch+`}`)
		}
	})
	t.Run("UMP-3.5-7 what makes a record what it is cannot be patched", func(t *testing.T) {
		for path, patch := range map[string]string{
			"/patch/id": `{"id":"x"}`, "/patch/ump": `{"ump":"1.0"}`, "/patch/integrity": `{"integrity":null}`, "/patch/supersedes": `{"supersedes":[]}`,
			"/patch/superseded_by": `{"superseded_by":["x"]}`, "/patch/time/created": `{"time":{"created":null}}`, "/patch/scope/owner": `{"scope":{"owner":"x"}}`,
		} {
			refuse(t, ump.OpRevise, memory.InvalidRecord, "UMP-3.5-7", path, `{"id":"urn:ump:aaaa","patch":`+patch+`}`)
			if err := ump.CheckPatch([]byte(patch)); memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("CheckPatch(%s) = %v", patch, err)
			}
		}
		if err := ump.CheckPatch([]byte(`{"body":{"text":"x"},"time":{"valid_from":"x"},"scope":{"project":null}}`)); err != nil {
			t.Error(err)
		}
	})
}

func TestForget(t *testing.T) {
	f := &fake{}
	t.Run("UMP-3.6-1 soft unless hard", func(t *testing.T) {
		want(t, f, ump.OpForget, `{"id":"urn:ump:aaaa","reason":"outdated","note":"n","hard":null}`, `{"result":"tombstoned"}`)
		if f.forgetting != (memory.ForgetRequest{ID: "urn:ump:aaaa", Reason: memory.Outdated, Note: "n"}) {
			t.Errorf("asked for %+v", f.forgetting)
		}
		want(t, f, ump.OpForget, `{"id":"urn:ump:aaaa","reason":"other","hard":true,"chain":true}`, `{"result":"erased"}`)
		if !f.forgetting.Hard || !f.forgetting.Chain {
			t.Errorf("asked for %+v", f.forgetting)
		}
		want(t, f, ump.OpForget, `{"id":"urn:ump:aaaa","reason":"other","hard":" True "}`, `{"result":"erased"}`)
		want(t, f, ump.OpForget, `{"id":"urn:ump:aaaa","reason":"other","hard":"false"}`, `{"result":"tombstoned"}`)
		refuse(t, ump.OpForget, memory.InvalidRecord, "UMP-3.6-1", "/hard", `{"id":"urn:ump:aaaa","reason":"other","hard":"maybe"}`)
		refuse(t, ump.OpForget, memory.InvalidRecord, "UMP-3.6-1", "/id", `{"reason":"other"}`)
	})
	t.Run("what is still being cleared is erased, pending", func(t *testing.T) {
		owed := &fake{forgotten: memory.ErasePending}
		want(t, owed, ump.OpForget, `{"id":"urn:ump:aaaa","reason":"other","hard":true}`, `{"result":"erased","pending":true}`)
	})
	t.Run("UMP-3.6-3 a reason is given", func(t *testing.T) {
		for _, body := range []string{`{"id":"urn:ump:aaaa"}`, `{"id":"urn:ump:aaaa","reason":" "}`, `{"id":"urn:ump:aaaa","reason":5}`} {
			refuse(t, ump.OpForget, memory.InvalidRecord, "UMP-3.6-3", "/reason", body)
		}
		want(t, f, ump.OpForget, `{"id":"urn:ump:aaaa","reason":"moved house","note":"n"}`, `{"result":"tombstoned"}`)
		if f.forgetting.Reason != memory.OtherReason || f.forgetting.Note != "moved house\nn" {
			t.Errorf("asked for %+v", f.forgetting)
		}
	})
}

func TestFeedback(t *testing.T) {
	t.Run("UMP-3.8-1 an outcome is taken note of", func(t *testing.T) {
		l := &learner{}
		want(t, l, ump.OpFeedback, `{"id":"urn:ump:aaaa","outcome":"followed","session":"s"}`, `{"ok":true}`)
		if l.id != "urn:ump:aaaa" || l.outcome != "followed/s" {
			t.Errorf("told %s, %s", l.id, l.outcome)
		}
		refuse(t, ump.OpFeedback, memory.InvalidRecord, "UMP-3.8-1", "/outcome", `{"id":"urn:ump:aaaa","outcome":"good"}`)
		refuse(t, ump.OpFeedback, memory.InvalidRecord, "UMP-3.8-1", "/id", `{"outcome":"followed"}`)
	})
	t.Run("UMP-3.7-4 without learning it is unsupported", func(t *testing.T) {
		if _, err := call(&fake{}, ump.OpFeedback, `{"id":"urn:ump:aaaa","outcome":"followed"}`); memory.KindOf(err) != memory.Unsupported {
			t.Errorf("%v", err)
		}
	})
}

func TestDispatch(t *testing.T) {
	t.Run("UMP-3-1 requests are JSON objects", func(t *testing.T) {
		for _, op := range append(ump.Operations(), ump.OpFeedback) {
			refuse(t, op, memory.InvalidRecord, "UMP-3-1", "", `[]`)
			refuse(t, op, memory.InvalidRecord, "UMP-3-1", "", `"x"`)
			refuse(t, op, memory.InvalidRecord, "UMP-2-28", "", `{`)
			refuse(t, op, memory.InvalidRecord, "UMP-6.1-6", "/a", `{"a":1,"a":2}`)
		}
	})
	t.Run("UMP-1-1 UMP-8-3 six operations and no other", func(t *testing.T) {
		if len(ump.Operations()) != 6 {
			t.Errorf("operations are %v", ump.Operations())
		}
		for _, op := range []ump.Operation{"", "consolidate", "Recall", "ump.recall"} {
			refuse(t, op, memory.Unsupported, "UMP-3.7-4", "", `{}`)
		}
	})
}

func TestErrorEnvelope(t *testing.T) {
	t.Run("UD-22 every code has its status", func(t *testing.T) {
		for kind, status := range map[memory.ErrorKind]int{
			memory.Unauthorized: http.StatusUnauthorized, memory.ForbiddenScope: http.StatusForbidden, memory.NotFound: http.StatusNotFound,
			memory.InvalidRecord: http.StatusBadRequest, memory.ConsentViolation: http.StatusForbidden, memory.SignatureInvalid: http.StatusBadRequest,
			memory.Unsupported: http.StatusBadRequest, memory.RateLimited: http.StatusTooManyRequests, memory.Internal: http.StatusInternalServerError, "odd": http.StatusInternalServerError,
		} {
			if got := ump.Status(kind); got != status {
				t.Errorf("%s is %d, want %d", kind, got, status)
			}
			f := &fake{err: &memory.Error{Kind: kind, Err: errors.New("swordfish")}}
			_, err := call(f, ump.OpRecall, `{"query":"x"}`)
			code, _ := parse(t, ump.ErrorEnvelope(err)).At("/error/code")
			message, _ := parse(t, ump.ErrorEnvelope(err)).At("/error/message")
			if code.Text() != string(kind) && (kind != "odd" || code.Text() != "internal") || message.Text() == "" || strings.Contains(message.Text(), "swordfish") {
				t.Errorf("envelope is %s", ump.ErrorEnvelope(err))
			}
		}
	})
	t.Run("UMP-3.7-6 an internal error shows nothing", func(t *testing.T) {
		got := string(ump.ErrorEnvelope(errors.New("open /home/a/secret.db: no space")))
		if got != `{"error":{"code":"internal","message":"something went wrong here; the log says what"}}` {
			t.Errorf("envelope is %s", got)
		}
	})
	t.Run("what may be tried again says so, of the service's own faults only", func(t *testing.T) {
		gone := fmt.Errorf("dial: %w", memory.ErrUnavailable)
		for _, c := range []struct {
			name   string
			err    error
			status int
			after  int
			body   string
		}{
			{"with words", &memory.Error{Kind: memory.Internal, Message: "m", Err: gone}, 503, 2, `{"error":{"code":"internal","message":"m","details":{"retry_after":2}}}`},
			{"without", gone, 503, 2, `{"error":{"code":"internal","message":"this is temporarily unavailable; send it again in a little while","details":{"retry_after":2}}}`},
			{"given up by the service", fmt.Errorf("read: %w", context.Canceled), 503, 2, `{"error":{"code":"internal","message":"this is temporarily unavailable; send it again in a little while","details":{"retry_after":2}}}`},
			{"a refusal", &memory.Error{Kind: memory.NotFound, Message: "m", Err: gone}, 404, 0, `{"error":{"code":"not_found","message":"m"}}`},
			{"too fast", &memory.Error{Kind: memory.RateLimited, Message: "m"}, 429, 1, `{"error":{"code":"rate_limited","message":"m"}}`},
			{"another fault", &memory.Error{Kind: memory.Internal, Message: "m"}, 500, 0, `{"error":{"code":"internal","message":"m"}}`},
		} {
			if got := string(ump.ErrorEnvelope(c.err)); got != c.body || ump.StatusOf(c.err) != c.status || ump.RetryAfter(c.err) != c.after {
				t.Errorf("%s: %d, after %d: %s", c.name, ump.StatusOf(c.err), ump.RetryAfter(c.err), got)
			}
		}
	})
	t.Run("UMP-3-2 what is known is in details", func(t *testing.T) {
		got := string(ump.ErrorEnvelope(&memory.Error{Kind: memory.NotFound, ID: "urn:ump:a", Path: "/id", Rule: "UMP-3.4-2", Message: "m"}))
		if got != `{"error":{"code":"not_found","message":"m","details":{"id":"urn:ump:a","path":"/id","rule":"UMP-3.4-2"}}}` {
			t.Errorf("envelope is %s", got)
		}
	})
}
