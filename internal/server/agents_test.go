package server_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

const (
	hereName = "here.example"
	stranger = "Authorization:"
)

// platform returns one that knows the agent of the samples, and a source that it trusts.
func platform(t *testing.T) (*aaiftest.Platform, *aaiftest.Source) {
	t.Helper()
	p := aaiftest.New(hereName, aaiftest.Noon)
	source, err := aaiftest.NewSource("source.example", p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Intake(t.Context(), memory.Caller{}, aaiftest.Definition(aaiftest.AgentID, ""), aaif.IntakeOptions{}); err != nil {
		t.Fatal(err)
	}
	return p, source
}

func readied(t *testing.T, s *aaiftest.Source, id string) canon.Value {
	t.Helper()
	v, err := s.Ready(aaiftest.Checkpoint(), hereName, id)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// aaifCode reads the code of an error of AAIF.
func aaifCode(t *testing.T, body []byte) aaif.Code {
	t.Helper()
	v, err := canon.Parse(bytes.TrimSpace(body), canon.Options{})
	if err != nil || v.Get("message").Text() == "" {
		t.Fatalf("no error of AAIF: %s", body)
	}
	return aaif.Code(v.Get("code").Text())
}

func TestAgents(t *testing.T) {
	t.Parallel()
	p, _ := platform(t)
	s := start(t, server.Options{Agents: p})
	for _, c := range []struct {
		name, method, path string
		header             []string
		status             int
		code               aaif.Code
	}{
		{"AAIF-7-13 the manifest is public", "GET", aaifhttp.ManifestPath, []string{stranger}, 200, ""},
		{"AAIF-7-13 so is the report", "GET", aaifhttp.ReportPath, []string{stranger}, 200, ""},
		{"agents are not", "GET", "/aaif/agents", []string{stranger}, 401, "UNAUTHORIZED"},
		{"nor for a token that opens nothing", "GET", "/aaif/agents", []string{"Authorization: Bearer x"}, 401, "UNAUTHORIZED"},
		{"the owner sees them", "GET", "/aaif/agents", nil, 200, ""},
		{"and each", "GET", "/aaif/agents/" + aaiftest.AgentID, nil, 200, ""},
		{"an id may be escaped", "GET", "/aaif/agents/" + strings.Replace(aaiftest.AgentID, "-", "%2D", 1), nil, 200, ""},
		{"a path may not", "GET", "/aaif/%61gents", nil, 404, "NOT_FOUND"},
		{"no route", "GET", "/aaif/nope", nil, 404, "NOT_FOUND"},
		{"another host", "GET", aaifhttp.ManifestPath, []string{"Host: evil.example"}, 403, "FORBIDDEN"},
		{"a page of elsewhere", "POST", "/aaif/agents", []string{"Origin: https://evil.example"}, 403, "FORBIDDEN"},
		{"AAIF-12-11 a state in the clear", "POST", "/aaif/states", []string{stranger}, 426, aaifhttp.TLSRequired},
		{"AAIF-8.3-5 a handoff in the clear", "POST", "/aaif/handoff", []string{stranger}, 426, aaifhttp.TLSRequired},
		{"AAIF-12-11 a state is not shown in the clear", "GET", "/aaif/states/x", nil, 426, aaifhttp.TLSRequired},
		{"no agent runs here", "GET", "/.well-known/agent-card.json", nil, 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := s.do(t, c.method, c.path, "", c.header...)
			if got.StatusCode != c.status {
				t.Fatalf("%d %s", got.StatusCode, got.body)
			}
			if c.code != "" && aaifCode(t, got.body) != c.code {
				t.Errorf("%s", got.body)
			}
		})
	}
	t.Run("routes are counted without ids", func(t *testing.T) {
		got := string(s.do(t, "GET", "/metrics", "").body)
		for _, route := range []string{`route="/aaif/agents/{id}"`, `route="/aaif/handoff"`, `route="/.well-known/aaif-manifest.json"`} {
			if !strings.Contains(got, route) {
				t.Errorf("there is no %s", route)
			}
		}
		if strings.Contains(got, aaiftest.AgentID) {
			t.Error("an id is among them")
		}
	})
	t.Run("nothing where nobody keeps agents", func(t *testing.T) {
		s := start(t, server.Options{})
		for _, path := range []string{aaifhttp.ManifestPath, "/aaif/agents", "/aaif/handoff"} {
			if got := s.do(t, "GET", path, ""); got.StatusCode != 404 || aaifCode(t, got.body) != "NOT_FOUND" {
				t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			}
		}
	})
}

func TestAgentsMove(t *testing.T) {
	t.Parallel()
	p, source := platform(t)
	e := startTLS(t, server.Options{Agents: p, Hosts: []string{hereName, "localhost"}})
	client := aaifhttp.Client{HTTP: e.client(t, 2)}
	const home = "https://localhost"
	t.Run("AAIF-8.2-3 whole and as a stream", func(t *testing.T) {
		if _, err := client.PushState(t.Context(), home+"/aaif/states", readied(t, source, "1")); err != nil {
			t.Fatal(err)
		}
		if err := client.Handoff(t.Context(), home+"/aaif/handoff", readied(t, source, "2")); err != nil {
			t.Fatal(err)
		}
		who := p.Callers()
		if last := who[len(who)-1]; last.Owner != owner || last.Session != "migration" {
			t.Errorf("they came for %+v", last)
		}
	})
	t.Run("AAIF-8.2-8 and not once more", func(t *testing.T) {
		if err := client.Handoff(t.Context(), home+"/aaif/handoff", readied(t, source, "2")); aaif.CodeOf(err) != aaif.TokenReplayed {
			t.Error(err)
		}
		if _, states, spent := p.Kept(); states != 2 || spent != 2 {
			t.Errorf("%d states, %d tokens", states, spent)
		}
	})
	t.Run("AAIF-8.2-3 and on to another server", func(t *testing.T) {
		next, source := platform(t)
		there := startTLS(t, server.Options{Agents: next, Hosts: []string{"localhost"}})
		onward := aaifhttp.Client{HTTP: there.client(t, 2)}
		for id, send := range map[string]func(canon.Value) error{
			"3": func(v canon.Value) error { _, err := onward.PushState(t.Context(), home+"/aaif/states", v); return err },
			"4": func(v canon.Value) error { return onward.Handoff(t.Context(), home+"/aaif/handoff", v) },
		} {
			state := fetched(t, e, aaiftest.StateID)
			ready, err := source.Ready(state, hereName, id) // a token of the platform that it leaves
			if err != nil {
				t.Fatal(err)
			}
			if err := send(ready); err != nil {
				t.Fatal(err)
			}
			if moved := fetched(t, there, aaiftest.StateID); aaif.Digest(moved) != aaif.Digest(aaiftest.Checkpoint()) {
				t.Errorf("AAIF-8.3-11 another one arrived: %s", moved.Append(nil))
			}
		}
		if _, states, _ := next.Kept(); states != 2 {
			t.Errorf("%d states", states)
		}
	})
	t.Run("AAIF-8.3-10 a sender that is slow or gone leaves nothing", func(t *testing.T) {
		p, source := platform(t)
		e := startTLS(t, server.Options{Agents: p, Hosts: []string{"localhost"}, ReadTimeout: 300 * time.Millisecond})
		var b bytes.Buffer
		if err := handoff.Send(t.Context(), &b, readied(t, source, "1"), handoff.SendOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, version := range []int{1, 2} {
			body, to := io.Pipe()
			go func() { _, _ = to.Write(b.Bytes()[:b.Len()/2]) }() // and nothing more
			r, err := http.NewRequestWithContext(t.Context(), "POST", home+"/aaif/handoff", body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", handoff.MediaType)
			got, err := e.client(t, version).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			said, _ := io.ReadAll(got.Body)
			_ = got.Body.Close()
			if got.StatusCode != 408 || aaifCode(t, said) != "TIMEOUT" {
				t.Errorf("HTTP/%d: %d %s", version, got.StatusCode, said)
			}
		}
		if _, states, spent := p.Kept(); states != 0 || spent != 0 {
			t.Errorf("%d states, %d tokens", states, spent)
		}
	})
	t.Run("AAIF-8.3-6 whoever tries tokens is slowed down", func(t *testing.T) {
		p, source := platform(t)
		e := startTLS(t, server.Options{Agents: p, Hosts: []string{"localhost"}, FailRate: .001, FailBurst: 3})
		client := aaifhttp.Client{HTTP: e.client(t, 2)}
		source.Name = "elsewhere.example"
		state := readied(t, source, "1")
		var codes []aaif.Code
		for range 4 {
			codes = append(codes, aaif.CodeOf(client.Handoff(t.Context(), home+"/aaif/handoff", state)))
		}
		if codes[2] != aaif.TokenInvalid || codes[3] != "RATE_LIMITED" {
			t.Errorf("%v", codes)
		}
		if got, err := e.client(t, 2).Get(home + aaifhttp.ManifestPath); err != nil || got.StatusCode != 200 {
			t.Errorf("and the manifest: %+v %v", got, err)
		}
	})
}

// fetched is a state as the owner of a server gets it.
func fetched(t *testing.T, e encrypted, id string) canon.Value {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "https://localhost/aaif/states/"+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := e.client(t, 2).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	said, _ := io.ReadAll(got.Body)
	v, err := aaif.FromJSON(said, aaif.ReadOptions{})
	if err != nil || got.StatusCode != 200 {
		t.Fatalf("%d %s", got.StatusCode, said)
	}
	return v
}
