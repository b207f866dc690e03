package ump_test

import (
	"math"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestAnswer compares the text of a response with its tree, which is made another way.
func TestAnswer(t *testing.T) {
	form := func(text string) memory.Hit {
		return memory.Hit{Record: memory.Record{ID: "urn:ump:1", Origin: []byte(text)}, Score: 1.0 / 3, Signals: memory.Signals{Similarity: math.NaN(), ProvenanceDepth: 2}}
	}
	changed := form(`{"id":"urn:ump:1"}`)
	changed.Record.Current = []byte(`{"id":"urn:ump:1","superseded_by":["urn:ump:2"]}`)
	unwritten := memory.Hit{Record: memory.Record{
		Version: "0.1", ID: "urn:ump:3", Kind: memory.Semantic, Body: memory.Body{Text: "tea"},
		Scope: memory.Scope{Owner: "did:key:z", Visibility: memory.Private}, Time: memory.Times{Created: time.Unix(0, 0).UTC()},
		Lifecycle: memory.Lifecycle{Status: memory.Active},
	}}
	for name, c := range map[string]struct {
		hits    []memory.Hit
		request string
		refused bool
	}{
		"no hits":          {nil, `{"query":"tea"}`, false},
		"documents":        {[]memory.Hit{form(`{"id":"urn:ump:1","n":1e2,"text":"<ä\u0001> \""}`), changed}, `{"query":"tea"}`, false},
		"several lines":    {[]memory.Hit{form("{\n\t\"id\": \"urn:ump:1\"\n}\n")}, `{"query":"tea"}`, false},
		"no document":      {[]memory.Hit{unwritten}, `{"query":"tea"}`, false},
		"a warning":        {[]memory.Hit{form(`{"id":"urn:ump:1"}`)}, `{"query":"tea","unknown":1}`, false},
		"cut off":          {[]memory.Hit{form(`{"id":"urn:ump:1"`)}, `{"query":"tea"}`, true},
		"not an object":    {[]memory.Hit{form(`[]`)}, `{"query":"tea"}`, true},
		"member twice":     {[]memory.Hit{form(`{"a":1,"a":2}`)}, `{"query":"tea"}`, true},
		"wrong request":    {nil, `{"query":7}`, true},
		"unknown, refused": {nil, `{"query":7,"unknown":1}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			call := ump.Call{Operation: ump.OpRecall, Body: []byte(c.request)}
			text, err := ump.Dispatch(t.Context(), &fake{hits: c.hits}, call)
			response, same := ump.Perform(t.Context(), &fake{hits: c.hits}, call)
			var tree canon.Value
			if same == nil {
				tree, same = response.Tree()
			}
			if c.refused {
				if err == nil || same == nil || err.Error() != same.Error() || text != nil {
					t.Fatalf("%v, %v, %s", err, same, text)
				}
				return
			}
			if err != nil || same != nil {
				t.Fatal(err, same)
			}
			if want := string(tree.Append(nil)); string(text) != want {
				t.Errorf("got %s\nwant %s", text, want)
			}
		})
	}
}
