package engram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// drawLineage draws the records of a belief that knows nothing of Engram.
func drawLineage(t *rapid.T, i int) []memory.Record {
	key := ownKey()
	var out []memory.Record
	at := mapNow().Add(-time.Duration(rapid.IntRange(1000, 2000).Draw(t, "age")) * time.Hour)
	kind := rapid.SampledFrom(memory.Kinds()).Draw(t, "kind")
	for n := range rapid.IntRange(1, 3).Draw(t, "versions") {
		r := memory.Record{
			Kind: kind, Body: memory.Body{Text: fmt.Sprint(i, n, " ", drawText(t, "text"))}, Time: memory.Times{Created: at, Observed: at},
			Scope:     memory.Scope{Owner: key.DID(), Visibility: memory.Private, Project: drawOf(t, "project", "", "github.com/a/b"), Agent: drawOf(t, "agent", "", "pal")},
			Lifecycle: memory.Lifecycle{Decay: drawOf(t, "decay", "", "half_life:P9D", "stale_after:P30D")},
			Relations: []memory.Relation{{Type: "about", Target: "entity:" + drawOf(t, "entity", "pnpm", "engram/health", "?")}},
		}
		if rapid.Bool().Draw(t, "sure") {
			c := float64(rapid.IntRange(0, 10).Draw(t, "confidence")) / 10
			r.Lifecycle.Confidence = &c
		}
		if rapid.Bool().Draw(t, "provenance") {
			r.Provenance = &memory.Provenance{Actor: "a", ActorKind: rapid.SampledFrom([]memory.ActorKind{"user", "agent", "model", "scan"}).Draw(t, "actor"), Method: drawOf(t, "method", "revise", "user_correction")}
		}
		if rapid.Bool().Draw(t, "structured") {
			r.Body.Structured = []byte(drawOf(t, "payload", `{"tags":["a"],"n":2.50}`, `{"engram":{"v":1,"belief":7}}`, `{"engram":{"v":1,"id":"`+uuidOf(7, i)+`","belief":{"key":"k","tags":null}}}`, `{"engram":"x"}`))
		}
		if n > 0 {
			r.Supersedes = []memory.ID{out[n-1].ID}
		}
		out = append(out, authored(t, r, rapid.Bool().Draw(t, "signed")))
		at = at.Add(time.Hour)
	}
	for n := range out[1:] { // the engine has closed what was replaced
		out[n].SupersededBy, out[n].Time.ValidTo = []memory.ID{out[n+1].ID}, out[n+1].Time.Created
		closed, err := ump.Amend(out[n], &key)
		if err != nil {
			t.Fatal(err)
		}
		out[n] = closed
	}
	if rapid.IntRange(0, 2).Draw(t, "proposed") == 0 {
		last := out[len(out)-1]
		out = append(out, authored(t, memory.Record{Kind: kind, Body: memory.Body{Text: fmt.Sprint(i, " other")}, Time: memory.Times{Created: at}, Scope: last.Scope,
			Lifecycle: memory.Lifecycle{Status: memory.Candidate}, Relations: []memory.Relation{{Type: memory.Contradicts, Target: string(last.ID)}}}, true))
	}
	return out
}

func authored(t *rapid.T, r memory.Record, signed bool) memory.Record {
	key := ownKey()
	signer := &key
	if !signed {
		signer = nil
	}
	made, err := ump.Author(r, signer)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestMapStoreComesBack is law L2 of the mapping: what a store holds comes back from an
// export with residue, record by record, signatures included.
func TestMapStoreComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var records []memory.Record
		for i := range rapid.IntRange(0, 3).Draw(rt, "lineages") {
			records = append(records, drawLineage(rt, i)...)
		}
		opt := codec.Options{Owner: ownKey().DID(), Now: mapNow}
		data, _ := export(t, opt, records...)
		if found := engram.Validate(data, false); slices.ContainsFunc(found, func(v engram.Violation) bool { return !v.Warning }) {
			rt.Fatalf("not a valid export: %v\n%s", found, data)
		}
		again, losses := open(t, opt, data)
		if len(losses) > 0 || len(again) != len(records) {
			rt.Fatalf("%d records became %d, lost %v\n%s", len(records), len(again), losses, data)
		}
		if got, want := formsOf(again), formsOf(records); got != want {
			rt.Fatalf("is\n%s\nwas\n%s", got, want)
		}
		for _, r := range again {
			if r.Integrity != nil && ump.Verify(r.Form()) != nil {
				rt.Fatal("a signature does not hold any more")
			}
		}
	})
}

func formsOf(records []memory.Record) string {
	var out []string
	for _, r := range records {
		form, err := canon.Canonical(r.Form(), canon.Options{})
		if err != nil {
			return err.Error()
		}
		out = append(out, string(form))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
