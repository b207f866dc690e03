package umphttp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

const owner = memory.DID("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")

// who knows the tokens "owner" and "agent", and two of peers: "reader", which
// grants to read a project, and "exporter", which grants to export.
func who(r *http.Request) (memory.Caller, error) {
	switch r.Header.Get("Authorization") {
	case "Bearer owner":
		return memory.Caller{Owner: owner, Role: memory.Owner}, nil
	case "Bearer agent":
		return memory.Caller{Owner: owner, Role: memory.Agent}, nil
	case "Bearer reader":
		return peer("reader", memory.Grant{Verbs: []memory.Verb{memory.ReadVerb}, Scope: memory.Scope{Project: project}}), nil
	case "Bearer exporter":
		return peer("exporter", memory.Grant{Verbs: []memory.Verb{memory.ExportVerb}}), nil
	}
	return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized, Message: "send a token"}
}

const project = "github.com/example/project"

func peer(id string, g memory.Grant) memory.Caller {
	g.ID = id
	return memory.Caller{Owner: owner, Role: memory.Peer, Session: "token:" + id, Grant: &g}
}

// plain is a service without the optional abilities.
type plain struct{ umphttp.Backend }

func serve(t *testing.T, b umphttp.Backend, o umphttp.Options) *httptest.Server {
	t.Helper()
	if o.Authenticate == nil {
		o.Authenticate = who
	}
	server := httptest.NewServer(umphttp.New(b, o))
	t.Cleanup(server.Close)
	return server
}

// filled returns a vault with one private memory of a project and one public one.
func filled(t *testing.T) *umptest.Vault {
	t.Helper()
	v := umptest.New()
	for _, r := range []memory.Record{
		{Body: memory.Body{Text: "Use pnpm, never npm."}, Kind: memory.Procedural, Scope: memory.Scope{Owner: owner, Project: project}},
		{Body: memory.Body{Text: "The manual is in docs/."}, Kind: memory.Semantic, Scope: memory.Scope{Owner: owner, Visibility: memory.Public}},
	} {
		if _, err := v.Remember(context.Background(), memory.Caller{Owner: owner, Role: memory.Agent}, memory.Draft{Record: r}); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// answer is what a request got.
type answer struct {
	*http.Response
	body []byte
}

// do sends a request with the owner's token; a header "Authorization: " with an
// empty value sends none.
func do(t *testing.T, server *httptest.Server, method, path, body string, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value == "" {
			r.Header.Del(name)
			continue
		}
		r.Header.Set(name, value)
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	said, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{got, said}
}

// code returns the code of an error envelope, and fails when it is not one.
func (a answer) code(t *testing.T) memory.ErrorKind {
	t.Helper()
	var envelope struct {
		Error struct {
			Code    memory.ErrorKind
			Message *string
		}
	}
	if err := json.Unmarshal(a.body, &envelope); err != nil || envelope.Error.Message == nil || a.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("not an error envelope: %s %s", a.Header.Get("Content-Type"), a.body)
	}
	return envelope.Error.Code
}
