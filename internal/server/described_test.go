package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/openapi/openapitest"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// watched returns a client that reports every exchange with a server that is not as the
// server's own description says.
func watched(t testing.TB, client *http.Client, address string) *http.Client {
	t.Helper()
	got, err := client.Get(address + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	description, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("%d %v %s", got.StatusCode, err, description)
	}
	checker := openapitest.New(t, description)
	t.Cleanup(func() { t.Logf("%d pairs of a route and a status are as described", checker.Seen()) })
	watching := *client
	by := client.Transport
	if by == nil {
		by = http.DefaultTransport
	}
	watching.Transport = checker.Over(t, by)
	return &watching
}

// description is as much of a description as these tests read.
type description struct {
	Paths      map[string]map[string]operation
	Components struct {
		Schemas   map[string]json.RawMessage
		Responses map[string]response
	}
}

type operation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Description string
	Security    []map[string][]string
	RequestBody *struct{ Content map[string]content }
	Responses   map[string]response
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]content
}

type content struct {
	Schema map[string]any
	Items  map[string]any `json:"x-item-schema"`
}

func (s *running) description(t *testing.T) description {
	t.Helper()
	got := s.do(t, "GET", "/openapi.json", "", "Authorization:")
	var d description
	if err := json.Unmarshal(got.body, &d); err != nil || got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v", got.StatusCode, err)
	}
	return d
}

// offeringAll is a server with everything that it can offer without another program.
func offeringAll(t *testing.T) house {
	t.Helper()
	return buildAs(t, vault.Options{}, server.Options{Agents: aaiftest.New("here.example", time.Now), Public: true, Pages: server.Pages{Name: pageHost, Store: "/home/ana"}, OAuth: server.OAuth{On: true}, Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6, Contexts: server.Contexts{Constraints: true,
		Next: engramhttp.Next{Batch: true, JWKS: true, Accounts: []string{"acct:ana@memory.example"}, Subscriptions: true}}})
}

// TestEveryRouteIsDescribed holds the description of each route to what it has to say, and
// the server to the description: who may use a route, and which methods it answers.
func TestEveryRouteIsDescribed(t *testing.T) {
	t.Parallel()
	h := offeringAll(t)
	d := h.description(t)
	if len(d.Paths) < 40 {
		t.Fatalf("%d paths", len(d.Paths))
	}
	names := map[string]string{}
	for path, item := range d.Paths {
		for method, o := range item {
			at := strings.ToUpper(method) + " " + path
			if other, ok := names[o.OperationID]; ok || o.OperationID == "" {
				t.Errorf("%s and %s have the same name %q", at, other, o.OperationID)
			}
			names[o.OperationID] = at
			o.complete(t, at, d)
			o.admits(t, h, method, path)
		}
		at := strings.NewReplacer("{id}", "x", "{name}", "x", "{path}", "x").Replace(path)
		if got := h.do(t, "PATCH", at, ""); got.StatusCode != 405 && got.StatusCode != 426 {
			t.Errorf("PATCH %s: %d %s", at, got.StatusCode, got.body)
		} else if allowed := got.Header.Get("Allow"); got.StatusCode == 405 {
			for _, method := range strings.Split(allowed, ", ") {
				if _, ok := item[strings.ToLower(method)]; !ok && method != "HEAD" {
					t.Errorf("%s answers %s, which is not described", path, method)
				}
			}
			if n := strings.Count(allowed, ",") + 1 - strings.Count(allowed, "HEAD"); n != len(item) {
				t.Errorf("%s answers %s, and %d methods are described", path, allowed, len(item))
			}
		}
	}
}

// complete reports what the description of a route lacks.
func (o operation) complete(t *testing.T, at string, d description) {
	t.Helper()
	if o.Summary == "" || o.Description == "" {
		t.Errorf("%s: nothing says what it is", at)
	}
	method, _, _ := strings.Cut(at, " ")
	if takes := method == "POST"; takes && o.RequestBody == nil && !slices.Contains([]string{"goOn", "cancelRun", "resumeRun"}, o.OperationID) {
		t.Errorf("%s: the body is not described", at)
	}
	if o.RequestBody != nil {
		shaped(t, at+" request", o.RequestBody.Content, d)
	}
	done, refused := 0, 0
	for status, r := range o.Responses {
		n, err := strconv.Atoi(status)
		if err != nil {
			t.Errorf("%s: the status %s", at, status)
		}
		if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
			r, ok = d.Components.Responses[name]
			if !ok {
				t.Errorf("%s: there is no response %s", at, name)
			}
		}
		if n < 300 {
			done++
		}
		if n >= 400 {
			refused++
			if len(r.Content) == 0 {
				t.Errorf("%s: the refusal %s has no schema", at, status)
			}
		}
		shaped(t, at+" "+status, r.Content, d)
	}
	if done == 0 || refused == 0 {
		t.Errorf("%s: %d answers and %d refusals are described", at, done, refused)
	}
}

// shaped reports forms of JSON without a schema, and references to nothing.
func shaped(t *testing.T, at string, forms map[string]content, d description) {
	t.Helper()
	for media, form := range forms {
		if strings.Contains(media, "json") && form.Schema == nil {
			t.Errorf("%s: %s has no schema", at, media)
		}
		for _, schema := range []map[string]any{form.Schema, form.Items} {
			to, _ := schema["$ref"].(string)
			if name, ok := strings.CutPrefix(to, "#/components/schemas/"); ok && d.Components.Schemas[name] == nil {
				t.Errorf("%s: there is no schema %s", at, name)
			}
		}
	}
}

// admits reports whether a route asks for a token unless its description says otherwise,
// and for the owner's if it says so.
func (o operation) admits(t *testing.T, h house, method, path string) {
	t.Helper()
	method, at := strings.ToUpper(method), strings.NewReplacer("{id}", "x", "{name}", "x", "{path}", "x").Replace(path)
	if strings.HasPrefix(at, "/ump/subscribe") || at == "/mcp" && method == "GET" {
		return // a stream that does not end
	}
	open := len(o.Security) == 0 || slices.ContainsFunc(o.Security, func(s map[string][]string) bool { return len(s) == 0 })
	got := h.do(t, method, at, "{}", "Authorization:", "Content-Type: application/json")
	if signed := strings.Contains(o.Description, "sign"); (got.StatusCode == 401) == open && got.StatusCode != 426 && !(signed && open) {
		t.Errorf("%s %s without a token: %d %s", method, at, got.StatusCode, got.body)
	}
	if _, ownersOnly := o.first()["owner"]; ownersOnly {
		if got := h.do(t, method, at, "{}", "Authorization: Bearer "+readersToken(t, seeded(t, 7)), "Content-Type: application/json"); got.StatusCode != 403 {
			t.Errorf("%s %s with a token to read: %d %s", method, at, got.StatusCode, got.body)
		}
	}
}

// first returns what the only way to be let in needs; nil: there are others.
func (o operation) first() map[string][]string {
	if len(o.Security) != 1 {
		return nil
	}
	return o.Security[0]
}

// TestWhatIsOffIsNotDescribed shows that an ability that is off has no routes in the
// description.
func TestWhatIsOffIsNotDescribed(t *testing.T) {
	t.Parallel()
	d := buildAs(t, vault.Options{}, server.Options{}).description(t)
	for _, path := range []string{"/aaif/agents", "/aaif/runs", "/v1/context/constrain", "/v1/context/correct/batch", "/v1/context/subscribe", "/.well-known/jwks.json",
		"/.well-known/webfinger", "/.well-known/ump/public.ndjson", "/a2a/{id}", "/token", "/.well-known/oauth-protected-resource"} {
		if _, ok := d.Paths[path]; ok {
			t.Errorf("%s is described", path)
		}
	}
	if recall := d.Paths["/ump/recall"]["post"]; len(recall.Security) != 1 || len(recall.Security[0]) != 1 {
		t.Errorf("strangers may recall: %v", recall.Security)
	}
}

// TestDocsCommands shows that the command on a page has all that its route needs, and that the
// page says what the command's variables stand for.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	h := offeringAll(t)
	for name, want := range map[string][]string{
		"contextDiff": {"$SATCHEL/v1/context/diff?since={since}&#34;", "<code>TOKEN</code> the owner's token"},
		"remember":    {"-X POST", "Content-Type: application/json", "--data-binary @FILE", "<code>FILE</code> holds the body"},
		"authorize":   {"/authorize?response_type={response_type}&amp;client_id={client_id}&amp;", "<code>SATCHEL</code> is the address of this server."},
	} {
		page := string(h.do(t, "GET", "/docs/"+name, "", "Authorization:").body)
		for _, part := range want {
			if !strings.Contains(page, part) {
				t.Errorf("/docs/%s lacks %q:\n%s", name, part, page)
			}
		}
	}
}

// TestDocs reads every page of the description. They load nothing but their looks.
func TestDocs(t *testing.T) {
	t.Parallel()
	h := offeringAll(t)
	read := map[string]bool{}
	todo := []string{"/docs"}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if read[path] {
			continue
		}
		read[path] = true
		got := h.do(t, "GET", path, "", "Authorization:")
		if got.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			continue
		}
		if path == "/openapi.json" || path == "/docs/style.css" {
			continue
		}
		if csp := got.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'; style-src 'self'") || strings.Contains(csp, "script") {
			t.Errorf("%s: %s", path, csp)
		}
		for _, foreign := range []string{"<script", "src=", "http-equiv", "<no value>"} {
			if strings.Contains(string(got.body), foreign) {
				t.Errorf("%s has %s", path, foreign)
			}
		}
		for part := range strings.SplitSeq(string(got.body), `href="`) {
			if to, _, _ := strings.Cut(part, `"`); strings.HasPrefix(to, "/") {
				todo = append(todo, to)
			}
		}
	}
	if len(read) < 150 {
		t.Errorf("%d pages", len(read))
	}
	if got := h.do(t, "GET", "/docs/nothing", "", "Authorization:"); got.code(t) != memory.NotFound {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	tag := h.do(t, "GET", "/openapi.json", "").Header.Get("ETag")
	if got := h.do(t, "GET", "/openapi.json", "", "If-None-Match: "+tag); got.StatusCode != 304 || len(got.body) > 0 {
		t.Errorf("%d", got.StatusCode)
	}
}
