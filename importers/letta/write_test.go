package letta_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/letta"
	"github.com/satchel-memory/satchel/memory"
)

// fact is a record that does not come from an agent file.
func fact(kind memory.Kind, text string) memory.Record {
	return memory.Record{
		Version: "0.1", ID: memory.ID("urn:ump:" + fmt.Sprint(len(text))), Kind: kind, Body: memory.Body{Text: text},
		Scope: memory.Scope{Owner: importtest.Options().Owner, Visibility: memory.Private},
		Time:  memory.Times{Created: time.Date(2026, 2, 1, 0, 0, len(text)%60, 5, time.UTC)},
	}
}

func write(t testing.TB, records ...memory.Record) (canon.Value, string, []codec.Loss) {
	t.Helper()
	text, losses := importtest.Write(t, letta.Format(), importtest.Options(), records...)
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v, text, losses
}

// said returns the data of records that must come back, in any order.
func said(records []memory.Record) []string {
	var all []string
	for _, r := range records {
		all = append(all, fmt.Sprintf("%s %q %s", r.Kind, r.Body.Text, r.Time.Created.UTC().Format(time.RFC3339Nano)))
	}
	slices.Sort(all)
	return all
}

func TestDeclared(t *testing.T) {
	closed := fact(memory.Semantic, "Keeps goats")
	closed.Time.ValidTo = closed.Time.Created.Add(time.Hour)
	said := read(t, `{"agents":[{"name":"Joiner","messages":[{"role":"user","content":"I saw oak."}]}],"blocks":[]}`)
	if len(said) != 2 {
		t.Fatalf("%d records of a conversation", len(said))
	}
	_, _, losses := write(t, said[0], said[1], closed, fact(memory.Semantic, " \n"), fact(memory.Working, "Saw"))
	importtest.Declared(t, letta.Format(), "testdata", losses...)
}

func TestWhatDoesNotHoldIsLeftOut(t *testing.T) {
	candidate, next := fact(memory.Semantic, "Proposed"), fact(memory.Semantic, "Replaced")
	candidate.Lifecycle.Status = memory.Candidate
	next.SupersededBy = []memory.ID{"urn:ump:x"}
	v, _, losses := write(t, candidate, next)
	if v.Get("blocks").Len() != 0 || len(losses) != 2 || losses[0].Reason != codec.NotHeld || losses[1].Reason != codec.NotHeld {
		t.Errorf("%d blocks, losses %v", v.Get("blocks").Len(), losses)
	}
}

// TestRequired: the members that Letta needs are present.
func TestRequired(t *testing.T) {
	v, _, _ := write(t, fact(memory.Identity, "Mara"), fact(memory.Semantic, "Oak"))
	for _, list := range []string{"agents", "groups", "blocks", "files", "sources", "tools", "mcp_servers"} {
		if v.Get(list).Type() != canon.TypeArray {
			t.Errorf("%s is no list", list)
		}
	}
	agent := v.Get("agents").Items()[0]
	told, _ := agent.At("/messages/0/id")
	context, _ := agent.At("/in_context_message_ids/0")
	if agent.Get("id").Text() == "" || told.Text() == "" || told.Text() != context.Text() || agent.Get("block_ids").Len() != 2 {
		t.Errorf("agent %s", agent.Append(nil))
	}
	for i, b := range v.Get("blocks").Items() {
		if b.Get("label").Text() == "" || b.Get("value").Text() == "" || b.Get("id").Text() != agent.Get("block_ids").Items()[i].Text() {
			t.Errorf("block %s", b.Append(nil))
		}
	}
}

// TestLimit: Letta refuses a block with more characters than its limit.
func TestLimit(t *testing.T) {
	records := read(t, document)
	records[0].Body.Text = strings.Repeat("ü", 9001)
	v, _, _ := write(t, records[0], fact(memory.Semantic, strings.Repeat("ü", 30_000)), fact(memory.Working, "a"))
	for i, want := range []float64{9001, 30_002, 20_000} {
		if got := v.Get("blocks").Items()[i].Get("limit").Float(); got != want {
			t.Errorf("block %d has a limit of %v, want %v", i, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	records := read(t, document)
	for name, test := range map[string]struct {
		edit        func(*memory.Record)
		label, name string
	}{
		"none":      {func(*memory.Record) {}, "human", "Joiner"},
		"the text":  {func(r *memory.Record) { r.Body.Text = "Mara, of Porto." }, "human", "Joiner"},
		"the kind":  {func(r *memory.Record) { r.Kind = memory.Semantic }, "facts", "satchel memory"},
		"the agent": {func(r *memory.Record) { r.Scope.Agent = "Other" }, "human", "Other"},
		"no agent":  {func(r *memory.Record) { r.Scope.Agent = "" }, "human", "satchel memory"},
		"a broken date": {func(r *memory.Record) {
			r.Body.Structured = []byte(`{"letta":{"block":{"label":"human","created_at":"x"}}}`)
			r.Kind = memory.Identity
		}, "human", "satchel memory"},
		"no residue": {func(r *memory.Record) { r.Body.Structured = nil }, "human", "satchel memory"},
	} {
		t.Run(name, func(t *testing.T) {
			r := records[0]
			test.edit(&r)
			v, text, _ := write(t, r)
			label, _ := v.At("/blocks/0/label")
			agent, _ := v.At("/agents/0/name")
			if label.Text() != test.label || agent.Text() != test.name || v.Get("agents").Len() != 1 {
				t.Errorf("label %q, agent %q", label.Text(), agent.Text())
			}
			if diff := cmp.Diff(said([]memory.Record{r}), said(read(t, text))); diff != "" {
				t.Errorf("read again (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBlocksComeBack: unchanged blocks come back as they were.
func TestBlocksComeBack(t *testing.T) {
	text := `{"agents":[{"id":"agent-3","name":"A","block_ids":["block-7","block-9"]},{"id":"agent-4","name":"B","block_ids":["block-9"]}],"blocks":[` +
		`{"id":"block-7","label":"human","value":"Mara.","limit":9e3,"read_only":true,"metadata":{"k":[1]}},{"id":"block-9","label":"shared","value":"\nOak\n"},` +
		`{"id":"block-1","label":"human","value":"Nobody's","created_at":"2026-01-01 00:00:00"}],"created_at":"2026-02-03T10:00:00Z"}`
	v, _, losses := write(t, read(t, text)[:2]...)
	was, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil || len(losses) != 0 {
		t.Fatal(err, losses)
	}
	for i, b := range v.Get("blocks").Items() {
		if !canon.Equal(b, was.Get("blocks").Items()[i]) {
			t.Errorf("block %s", b.Append(nil))
		}
	}
	for i, a := range v.Get("agents").Items() {
		old := was.Get("agents").Items()[i]
		for _, name := range []string{"id", "name", "block_ids"} {
			if !canon.Equal(a.Get(name), old.Get(name)) {
				t.Errorf("agent %d: %s is %s", i, name, a.Get(name).Append(nil))
			}
		}
	}
}

// TestLabelsAreUnique: no agent has two blocks with one label.
func TestLabelsAreUnique(t *testing.T) {
	records := append(read(t, document), read(t, document)...)
	v, text, _ := write(t, append(records, fact(memory.Identity, "Somebody"))...)
	var labels []string
	for _, b := range v.Get("blocks").Items() {
		labels = append(labels, b.Get("label").Text()+" "+b.Get("id").Text())
	}
	if diff := cmp.Diff([]string{"human block-0", "human_2 block-1", "human_3 block-2"}, labels); diff != "" {
		t.Errorf("labels differ (-want +got):\n%s", diff)
	}
	if n := len(read(t, text)); n != 3 {
		t.Errorf("%d records are read again", n)
	}
}

// TestApart: records that are kept one by one have no ids of their file.
func TestApart(t *testing.T) {
	opt := importtest.Options()
	opt.Apart = true
	records, _, err := importtest.Check(t, letta.Format(), importtest.File("x.af", document), opt)
	if err != nil || strings.Contains(string(records[0].Body.Structured), "block-0") || strings.Contains(string(records[0].Body.Structured), "agent-0") {
		t.Errorf("%s, %v", records[0].Body.Structured, err)
	}
}

// TestWrittenAndRead: texts, kinds and dates come back, or a loss says why not.
func TestWrittenAndRead(outer *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"- a\n- b", "a\n\n  b\n", "\n", "- ", "a\r\nb", "nul \x00", "../x"}))
	restored := read(outer, document)
	rapid.Check(outer, func(t *rapid.T) {
		var records, held []memory.Record
		for i := range rapid.IntRange(0, 6).Draw(t, "n") {
			r := fact(rapid.SampledFrom(memory.Kinds()).Draw(t, "kind"), texts.Draw(t, "text"))
			if rapid.Bool().Draw(t, "restored") {
				text, kind := r.Body.Text, r.Kind
				r = restored[0]
				r.Body.Text, r.Kind = text, kind
			}
			r.ID = memory.ID(fmt.Sprintf("urn:ump:r%d", i))
			r.Scope.Agent = rapid.SampledFrom([]string{"", "Joiner", "Other"}).Draw(t, "agent")
			records = append(records, r)
			if strings.TrimSpace(r.Body.Text) != "" {
				held = append(held, r)
			}
		}
		text, losses := importtest.Write(outer, letta.Format(), importtest.Options(), records...)
		again, _, err := importtest.Read(letta.Format(), importtest.File("again.af", text), importtest.Options())
		if err != nil {
			t.Fatal(err)
		}
		excused := func(id memory.ID) bool {
			return slices.ContainsFunc(losses, func(l codec.Loss) bool { return l.ID == id && l.Pointer == "/time/created" })
		}
		for i := range held {
			if excused(held[i].ID) {
				held[i].Time.Created = time.Time{}
			}
		}
		have := said(again)
		for _, want := range said(held) {
			want, _ = strings.CutSuffix(want, "0001-01-01T00:00:00Z")
			if i := slices.IndexFunc(have, func(s string) bool { return strings.HasPrefix(s, want) }); i >= 0 {
				have = slices.Delete(have, i, i+1)
			} else {
				t.Fatalf("%s does not come back", want)
			}
		}
		if len(have) > 0 {
			t.Fatalf("more comes back: %v", have)
		}
		for _, l := range losses {
			if !letta.Format().Declared.Covers(l) {
				t.Fatalf("not declared: %v", l)
			}
		}
	})
}
