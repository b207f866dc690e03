package server_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	umpsuite "github.com/satchel-memory/satchel/conformance/ump"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/edition"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// later is a server whose memory speaks UMP 1.0.
func later(t *testing.T, before func(http.Handler) http.Handler) subject {
	t.Helper()
	s := stand(t, before)
	owner := memory.Caller{Owner: s.target.Key.DID(), Role: memory.Owner}
	if _, err := edition.New(s.vault).SetEdition(t.Context(), owner, ump.LaterEdition, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// laterMutants break what edition 1.0 adds. Their names are their rows.
func laterMutants() []mutant {
	return []mutant{
		{"UMP1-0-1 UMP1-0-3 UMP1-0-5", records(merged(`{"ump":"0.1"}`))},
		{"UMP1-0-6", answers("/ump/remember", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.json().Get("error").Get("code").Text() == "unsupported" {
				got.status, got.body = 200, []byte(`{"id":"urn:ump:abc","result":"created"}`)
			}
		})},
		{"UMP1-2.9-2", records(without("provenance", "evidence"))},
		{"UMP1-9-1", answers("/ump/revise", func(asked canon.Value, _ *http.Request, got *reply) {
			if asked.Has("actor") {
				got.status, got.body = 400, []byte(`{"error":{"code":"invalid_record","message":"no actor is taken"}}`)
			}
		})},
		{"UMP1-9-2", capable(`{"audit":"sometimes"}`)},
	}
}

// TestLaterMutants breaks what edition 1.0 adds: the rows must fail.
func TestLaterMutants(t *testing.T) {
	t.Parallel()
	for _, m := range laterMutants() {
		t.Run(m.name, func(t *testing.T) {
			target := later(t, m.does).target
			target.Only = m.rows()
			summary, err := umpsuite.Run(t.Context(), target, nil)
			if err != nil || len(summary.Failed) != len(target.Only) {
				t.Errorf("%v fail, %v", summary.Failed, err)
			}
		})
	}
}

// probe is one of the questions that peers put to a server to learn its level.
type probe struct {
	t    *testing.T
	s    subject
	base string
}

func (p probe) ask(method, path, body string, authorised bool) (int, http.Header, map[string]any) {
	p.t.Helper()
	res, text := p.fetch(method, path, body, authorised)
	var v map[string]any
	_ = json.Unmarshal(text, &v) // an empty body says nothing
	return res.StatusCode, res.Header, v
}

// fetch sends a request and reads the answer, but for a stream of events.
func (p probe) fetch(method, path, body string, authorised bool) (*http.Response, []byte) {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if authorised {
		req.Header.Set("Authorization", "Bearer "+p.s.target.Token)
	}
	res, err := p.s.target.Client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res, nil
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res, text
}

// TestProbesOfPeers asks what other implementations ask of a server at level 3, in
// both editions.
func TestProbesOfPeers(t *testing.T) {
	t.Parallel()
	for _, spoken := range []string{ump.Edition, ump.LaterEdition} {
		t.Run("UMP-0-1 edition "+spoken, func(t *testing.T) {
			s := standAs(t, vault.Options{Signed: true, Tokens: true}, server.Options{Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6}, nil)
			if spoken == ump.LaterEdition {
				owner := memory.Caller{Owner: s.target.Key.DID(), Role: memory.Owner}
				if _, err := edition.New(s.vault).SetEdition(t.Context(), owner, spoken, nil); err != nil {
					t.Fatal(err)
				}
			}
			p := probe{t, s, s.target.URL}
			draft := func(kind, text string) string {
				did := string(s.target.Key.DID())
				return `{"kind":"` + kind + `","body":{"text":"` + text + `"},"scope":{"owner":"` + did + `","project":"probe","visibility":"private"},` +
					`"provenance":{"actor":"` + did + `","actor_kind":"user","method":"user_correction"}}`
			}
			want := func(what string, ok bool, got any) {
				t.Helper()
				if !ok {
					t.Errorf("%s: %v", what, got)
				}
			}
			status, _, v := p.ask("GET", "/ump/capabilities", "", true)
			kinds, _ := v["kinds"].([]any)
			want("capabilities", status == 200 && v["ump"] == spoken && len(kinds) == 5, v)
			status, _, v = p.ask("POST", "/ump/remember", draft("procedural", "lint before every handoff"), true)
			id, _ := v["id"].(string)
			want("remember", status == 200 && v["result"] == "created" && id != "", v)
			status, _, v = p.ask("GET", "/ump/memory/"+url.PathEscape(id), "", true)
			rec, _ := json.Marshal(v["record"])
			want("get", status == 200 && strings.Contains(string(rec), `"ump":"`+spoken+`"`), v)
			want("signed", ump.Verify(rec) == nil, ump.Verify(rec))
			query := `{"query":"lint handoff","scope":{"owner":"` + string(s.target.Key.DID()) + `","project":"probe"}}`
			status, _, v = p.ask("POST", "/ump/recall", query, true)
			found, _ := json.Marshal(v)
			want("recall", status == 200 && strings.Contains(string(found), id) && strings.Contains(string(found), `"signals":{`), v)
			status, _, v = p.ask("POST", "/ump/revise", `{"id":"`+id+`","patch":{"body":{"text":"lint and test before every handoff"}}}`, true)
			prior, _ := v["supersedes"].([]any)
			want("revise", status == 200 && slices.Contains(prior, any(id)), v)
			_, _, v = p.ask("GET", "/ump/memory/"+url.PathEscape(id), "", true)
			ended, _ := json.Marshal(v)
			want("bi-temporal", strings.Contains(string(ended), `"valid_to":"`) && strings.Contains(string(ended), `"superseded_by":["`), v)
			_, _, v = p.ask("POST", "/ump/remember", draft("working", "to be thrown away"), true)
			status, _, v = p.ask("POST", "/ump/forget", `{"id":"`+v["id"].(string)+`","reason":"probing"}`, true)
			want("forget", status == 200 && v["result"] == "tombstoned", v)
			status, _, v = p.ask("POST", "/ump/remember", `{"kind":"semantic","scope":{"visibility":"private"}}`, true)
			fault, _ := v["error"].(map[string]any)
			want("validation", status == 400 && fault["code"] == "invalid_record", v)
			status, _, v = p.ask("GET", "/.well-known/ump.json", "", false)
			want("discovery", status == 200 && v["ump"] == spoken && v["conformance"] == "L3", v)
			status, _, v = p.ask("POST", "/ump/feedback", `{"id":"`+id+`","outcome":"followed","session":"probe"}`, true)
			want("feedback", status == 200 && v["ok"] == true, v)
			status, _, v = p.ask("POST", "/ump/recall", query, false)
			want("without a token", status == 401, v)
			status, header, _ := p.ask("GET", "/ump/subscribe", "", true)
			want("subscribe", status == 200 && strings.HasPrefix(header.Get("Content-Type"), "text/event-stream"), header)
		})
	}
}

// TestExportNamesWhatItLeavesOut reads the trailer behind an export of a memory that
// speaks 1.0 and holds another owner's record of 0.1.
func TestExportNamesWhatItLeavesOut(t *testing.T) {
	s := later(t, nil)
	mira, err := keys.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "signed as 0.1"},
		Scope:      memory.Scope{Owner: mira.DID(), Visibility: memory.Public},
		Time:       memory.Times{Created: time.Now()},
		Provenance: &memory.Provenance{Actor: string(mira.DID()), ActorKind: memory.ByUser, Method: "said"}}, &mira)
	if err != nil {
		t.Fatal(err)
	}
	owner := memory.Caller{Owner: s.target.Key.DID(), Role: memory.Owner}
	in, err := ump.Format().Open(codec.Source{Name: "x.ump.json", File: bytes.NewReader(rec.Form()), Size: int64(len(rec.Form()))}, codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.vault.Import(t.Context(), owner, in, vault.ImportOptions{Format: "ump"}); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"json", "ndjson"} {
		p := probe{t, s, s.target.URL}
		res, body := p.fetch("GET", "/ump/export?format="+format, "", true)
		var told struct {
			Count  int
			Losses []struct{ ID, Path, Message string }
		}
		if err := json.Unmarshal([]byte(res.Trailer.Get("Ump-Losses")), &told); err != nil || told.Count != 1 ||
			len(told.Losses) != 1 || told.Losses[0].ID != string(rec.ID) || told.Losses[0].Message == "" || strings.Contains(string(body), string(rec.ID)) {
			t.Errorf("UMP1-0-2 %s, the trailer is %q, %v, behind %.100s", res.Status, res.Trailer, err, body)
		}
	}
}
