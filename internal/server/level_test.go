package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// form is what these tests look at in a record.
type form struct {
	ID   string
	Kind memory.Kind
	Body struct{ Text string }
	Time struct {
		Created, Observed string
		ValidFrom         string `json:"valid_from"`
		ValidTo           string `json:"valid_to"`
	}
	Lifecycle    struct{ Decay, Status string }
	Supersedes   []string
	SupersededBy []string `json:"superseded_by"`
	Provenance   *struct{ Actor, Method string }
}

// ask sends a request and decodes the answer, which must be 200.
func ask[T any](t *testing.T, h house, method, path, body string) T {
	t.Helper()
	return decoded[T](t, h.do(t, method, path, body))
}

// decoded decodes an answer, which must be 200.
func decoded[T any](t *testing.T, got answer) T {
	t.Helper()
	var said T
	if err := json.Unmarshal(got.body, &said); err != nil || got.StatusCode != 200 {
		t.Fatalf("%s %s: %d %s (%v)", got.Request.Method, got.Request.URL.Path, got.StatusCode, got.body, err)
	}
	return said
}

type outcome struct {
	ID, Result string
	Supersedes []string
}

type offer struct {
	Conformance string
	Kinds       []memory.Kind
	Bindings    []string
	Signals     []string `json:"retrieval_signals"`
	MaxRecall   int      `json:"max_recall"`
	Writable    bool
}

type found struct {
	Results []struct {
		Record  form
		Signals map[string]float64
	}
}

func (f found) texts() []string {
	var all []string
	for _, r := range f.Results {
		all = append(all, r.Record.Body.Text)
	}
	return all
}

func get(t *testing.T, h house, id string) form {
	t.Helper()
	return ask[struct{ Record form }](t, h, "GET", "/ump/memory/"+url.PathEscape(id), "").Record
}

func TestCapabilitiesHold(t *testing.T) {
	t.Parallel()
	h := build(t)
	for i := range 55 {
		ask[outcome](t, h, "POST", "/ump/remember", fmt.Sprintf(`{"record":{"body":{"text":"Hen number %d lays eggs."}}}`, i))
	}
	before := h.do(t, "GET", "/ump/export", "").body
	said := ask[offer](t, h, "GET", "/ump/capabilities", "")
	t.Run("UMP-3.1-8 asking changes nothing", func(t *testing.T) {
		for range 20 {
			ask[offer](t, h, "GET", "/ump/capabilities", "")
		}
		if after := h.do(t, "GET", "/ump/export", "").body; !bytes.Equal(before, after) {
			t.Error("the records are others now")
		}
	})
	t.Run("UMP-3.1-4 UMP-4-1 UMP-1-2 the bindings are those in service, and no other carrier", func(t *testing.T) {
		if !slices.Equal(said.Bindings, []string{"mcp", "http", "file"}) {
			t.Errorf("they are %v", said.Bindings)
		}
		if got := tool(t, h.dial(t, ""), "ump.capabilities", map[string]any{}); !bytes.Contains(got, []byte(`"bindings":["mcp","http","file"]`)) {
			t.Errorf("over MCP %s", got)
		}
	})
	t.Run("UMP-3.1-3 the level is the one in force", func(t *testing.T) {
		if said.Conformance != "L3" {
			t.Errorf("it is %s", said.Conformance)
		}
		id := ask[outcome](t, h, "POST", "/ump/remember", `{"record":{"body":{"text":"Hen number 0 lays eggs."}}}`).ID
		if got := h.do(t, "POST", "/ump/feedback", `{"id":"`+id+`","outcome":"followed"}`); string(got.body) != `{"ok":true}` {
			t.Errorf("feedback: %d %s", got.StatusCode, got.body)
		}
		if got := h.do(t, "HEAD", "/ump/subscribe", ""); got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("subscribe: %d %v", got.StatusCode, got.Header)
		}
		if got := h.do(t, "POST", "/ump/recall", `{"query":"x"}`, "Authorization:"); got.code(t) != memory.Unauthorized { // what makes the level
			t.Errorf("without a token: %s", got.body)
		}
	})
	hits := ask[found](t, h, "POST", "/ump/recall", fmt.Sprintf(`{"query":"Which hen lays eggs?","limit":%d}`, said.MaxRecall+1))
	t.Run("UMP-3.1-6 no more than max_recall come", func(t *testing.T) {
		if len(hits.Results) != said.MaxRecall {
			t.Errorf("%d came, max_recall is %d", len(hits.Results), said.MaxRecall)
		}
	})
	t.Run("UMP-3.1-5 the signals are those that results carry", func(t *testing.T) {
		for _, r := range hits.Results {
			if len(r.Signals) != len(said.Signals) {
				t.Fatalf("%v, announced %v", r.Signals, said.Signals)
			}
			for _, name := range said.Signals {
				if _, ok := r.Signals[name]; !ok {
					t.Fatalf("no %s in %v", name, r.Signals)
				}
			}
		}
	})
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	h := buildAs(t, vault.Options{ReadOnly: true}, server.Options{})
	t.Run("UMP-3.1-7 who does not write says so and refuses", func(t *testing.T) {
		if ask[offer](t, h, "GET", "/ump/capabilities", "").Writable {
			t.Error("it is said to be writable")
		}
		for op, body := range map[string]string{
			"remember": `{"record":{"body":{"text":"x"}}}`, "revise": `{"id":"urn:ump:a","patch":{"body":{"text":"x"}}}`, "forget": `{"id":"urn:ump:a","reason":"other"}`,
		} {
			if got := h.do(t, "POST", "/ump/"+op, body); got.code(t) != memory.Unsupported {
				t.Errorf("%s: %s", op, got.body)
			}
		}
	})
}

func TestLevel1(t *testing.T) {
	t.Parallel()
	h := build(t)
	t.Run("UMP-7-3 UMP-2.1-2 every kind is remembered, got and recalled", func(t *testing.T) {
		offered := ask[offer](t, h, "GET", "/ump/capabilities", "")
		if len(offered.Kinds) != 5 {
			t.Fatalf("kinds are %v", offered.Kinds)
		}
		for _, kind := range offered.Kinds {
			text := fmt.Sprintf("The %s barn is red.", kind)
			done := ask[outcome](t, h, "POST", "/ump/remember", fmt.Sprintf(`{"record":{"kind":%q,"body":{"text":%q}}}`, kind, text))
			if r := get(t, h, done.ID); r.Kind != kind || r.Body.Text != text {
				t.Errorf("%s is got as %+v", kind, r)
			}
			if hits := ask[found](t, h, "POST", "/ump/recall", fmt.Sprintf(`{"query":"barn","filter":{"kind":[%q]}}`, kind)); !slices.Equal(hits.texts(), []string{text}) {
				t.Errorf("%s is recalled as %v", kind, hits.texts())
			}
		}
	})
	t.Run("UMP-8-4 a decay hint that nobody understands", func(t *testing.T) {
		done := ask[outcome](t, h, "POST", "/ump/remember", `{"record":{"body":{"text":"The well is deep."},"lifecycle":{"decay":"moon phase, waning"}}}`)
		if hits := ask[found](t, h, "POST", "/ump/recall", `{"query":"well"}`); len(hits.Results) != 1 || hits.Results[0].Record.Lifecycle.Decay != "moon phase, waning" {
			t.Errorf("%s is recalled as %+v", done.ID, hits)
		}
	})
	t.Run("UMP-8-1 an entity is a name in a relation", func(t *testing.T) {
		ask[outcome](t, h, "POST", "/ump/remember", `{"record":{"body":{"text":"The pump is new."},"relations":[{"type":"about","target":"entity:Pump no. 7: north"}]}}`)
		if got := h.do(t, "GET", "/ump/memory/entity:pump", ""); got.code(t) != memory.NotFound {
			t.Errorf("%s", got.body)
		}
		if got := h.do(t, "GET", "/ump/export", "").body; bytes.Count(got, []byte("Pump no. 7")) != 1 {
			t.Errorf("the entity is more than a name: %s", got)
		}
	})
}

func TestLevel2(t *testing.T) {
	t.Parallel()
	h := build(t)
	const draft = `{"record":{"body":{"text":"The mill runs on water."},"time":{"valid_from":"2020-01-01T00:00:00Z"}}}`
	old := ask[outcome](t, h, "POST", "/ump/remember", draft)
	t.Run("UMP-2.3-1 since when it is true is not when it was learned", func(t *testing.T) {
		r := get(t, h, old.ID)
		if r.Time.ValidFrom != "2020-01-01T00:00:00Z" || strings.HasPrefix(r.Time.Created, "2020") || strings.HasPrefix(r.Time.Observed, "2020") {
			t.Errorf("its times are %+v", r.Time)
		}
		for at, want := range map[string][]string{"2019-06-01T00:00:00Z": nil, "2021-06-01T00:00:00Z": {"The mill runs on water."}} {
			if got := ask[found](t, h, "POST", "/ump/recall", `{"query":"mill","filter":{"valid_at":"`+at+`"}}`).texts(); !slices.Equal(got, want) {
				t.Errorf("at %s it is %v", at, got)
			}
		}
	})
	t.Run("UMP-7-4 revision, two timelines, provenance, consent and forgetting", func(t *testing.T) {
		next := ask[outcome](t, h, "POST", "/ump/revise", `{"id":"`+old.ID+`","patch":{"body":{"text":"The mill runs on steam."},"time":{"valid_from":"2023-01-01T00:00:00Z"}}}`)
		if !slices.Equal(next.Supersedes, []string{old.ID}) {
			t.Fatalf("revise answers %+v", next)
		}
		before, after := get(t, h, old.ID), get(t, h, next.ID)
		if before.Time.ValidTo != "2023-01-01T00:00:00Z" || !slices.Equal(before.SupersededBy, []string{next.ID}) || !slices.Equal(after.Supersedes, []string{old.ID}) || after.Provenance == nil || before.Provenance == nil {
			t.Errorf("%+v\n%+v", before, after)
		}
		for at, want := range map[string]string{"2021-06-01T00:00:00Z": "water", "2023-06-01T00:00:00Z": "steam"} {
			if got := ask[found](t, h, "POST", "/ump/recall", `{"query":"mill","filter":{"valid_at":"`+at+`"}}`).texts(); len(got) != 1 || !strings.Contains(got[0], want) {
				t.Errorf("at %s it is %v", at, got)
			}
		}
		if got := h.do(t, "POST", "/ump/remember", `{"record":{"body":{"text":"x"},"scope":{"visibility":"public"},"consent":{"exportable":false}}}`); got.code(t) != memory.ConsentViolation {
			t.Errorf("%s", got.body)
		}
		if got := ask[outcome](t, h, "POST", "/ump/forget", `{"id":"`+next.ID+`","reason":"outdated"}`); got.Result != "tombstoned" || get(t, h, next.ID).Lifecycle.Status != "tombstoned" {
			t.Errorf("forget answers %+v", got)
		}
		if got := ask[found](t, h, "POST", "/ump/recall", `{"query":"mill"}`).texts(); len(got) > 0 {
			t.Errorf("%v is still recalled", got)
		}
	})
}

func TestEveryCode(t *testing.T) {
	t.Parallel()
	h := buildAs(t, vault.Options{}, server.Options{Rate: 0.01, Burst: 8})
	signed := h.do(t, "POST", "/ump/remember", `{"record":{"body":{"text":"The fence is green."}}}`)
	var stored outcome
	if err := json.Unmarshal(signed.body, &stored); err != nil {
		t.Fatal(err)
	}
	record := string(h.do(t, "GET", "/ump/memory/"+stored.ID, "").body)
	forged := strings.Replace(record, "green", "black", 1)
	t.Run("UMP-3.7-1 each code has a situation", func(t *testing.T) {
		for _, c := range []struct {
			code         memory.ErrorKind
			method, path string
			body, header string
		}{
			{memory.Unauthorized, "POST", "/ump/recall", `{"query":"x"}`, "Authorization: Bearer x"},
			{memory.NotFound, "GET", "/ump/memory/urn:ump:nothing", "", ""},
			{memory.InvalidRecord, "POST", "/ump/remember", `{"record":{}}`, ""},
			{memory.Unsupported, "POST", "/ump/remember", `{"record":{"ump":"9.0","body":{"text":"x"}}}`, ""},
			{memory.ConsentViolation, "POST", "/ump/remember", `{"record":{"body":{"text":"x"},"scope":{"visibility":"public"},"consent":{"exportable":false}}}`, ""},
			{memory.SignatureInvalid, "POST", "/ump/remember", forged, ""},
			{memory.ForbiddenScope, "POST", "/ump/remember", `{"record":{"body":{"text":"x"},"scope":{"owner":"did:example:other"}}}`, ""},
			{memory.RateLimited, "GET", "/ump/memory/urn:ump:nothing", "", ""}, // the ninth with this token
		} {
			header := []string{"Content-Type: application/json"}
			if c.header != "" {
				header = append(header, c.header)
			}
			if got := h.do(t, c.method, c.path, c.body, header...); got.code(t) != c.code {
				t.Errorf("%s %s %s: %s, want %s", c.method, c.path, c.body, got.body, c.code)
			}
		}
	})
	if record == forged {
		t.Errorf("nothing was forged: %s", record)
	}
}
