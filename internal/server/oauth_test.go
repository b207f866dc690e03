package server_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// remoteServer is a server that lets remote assistants ask for access.
type remoteServer struct {
	t        *testing.T
	house    *vaulttest.House
	http     *http.Client
	at       string // its address
	consents pages.Consenter
}

const backThere = "https://assistant.example/back?x=1"

func remoteOn(t *testing.T, h *vaulttest.House, change ...func(*server.Options)) *remoteServer {
	t.Helper()
	o := server.Options{Backend: server.Over(h.Vault), Owner: h.Key.DID(), Token: token, Release: "1.0.0", Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6,
		Pages: server.Pages{Name: pageHost, Store: "/home/ana"}, OAuth: server.OAuth{On: true}}
	for _, c := range change {
		c(&o)
	}
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewTLSServer(s)
	t.Cleanup(func() { listening.Close(); _ = s.Close() })
	client := watched(t, listening.Client(), listening.URL)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &remoteServer{t, h, client, listening.URL, server.ConsenterOf(s)}
}

// said is an answer with what OAuth says in it.
type said struct {
	*http.Response
	text string
	json map[string]any
}

// kind is the status and the code of an error.
func (s said) kind() string {
	code, _ := s.json["error"].(string)
	if code == "" {
		if found := regexp.MustCompile(`(?m)^([a-z_]+): `).FindStringSubmatch(s.text); found != nil {
			code = found[1]
		}
	}
	return strings.TrimSpace(strings.TrimPrefix(s.Status, "")[:3] + " " + code)
}

func (s said) value(name string) string { v, _ := s.json[name].(string); return v }

func (m *remoteServer) send(method, to, media, body string, header ...string) said {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	got, err := m.http.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	s := said{Response: got, text: string(text)}
	_ = json.Unmarshal(text, &s.json) // a page is none
	return s
}

func (m *remoteServer) register(metadata string) said {
	m.t.Helper()
	return m.send("POST", m.at+"/register", "application/json", metadata)
}

// client registers a client and returns its id.
func (m *remoteServer) client(redirects ...string) string {
	m.t.Helper()
	list, _ := json.Marshal(append(redirects, backThere))
	got := m.register(`{"client_name":"Claude","redirect_uris":` + string(list) + `,"token_endpoint_auth_method":"none"}`)
	if got.StatusCode != http.StatusCreated {
		m.t.Fatalf("%s %s", got.Status, got.text)
	}
	return got.value("client_id")
}

const verifier = "a-verifier-of-forty-three-letters-and-more-0123456789"

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// asks are the parameters of a good request. Each change is "name=value"; without "=" the
// parameter is left out.
func (m *remoteServer) asks(client string, changes ...string) string {
	v := url.Values{"client_id": {client}, "redirect_uri": {backThere}, "response_type": {"code"}, "code_challenge": {challengeOf(verifier)},
		"code_challenge_method": {"S256"}, "resource": {m.at + "/mcp"}, "scope": {"read write"}, "state": {"s1"}}
	for _, c := range changes {
		name, value, set := strings.Cut(c, "=")
		v.Del(name)
		if set {
			v.Set(name, value)
		}
	}
	return v.Encode()
}

func (m *remoteServer) authorize(query string) said {
	m.t.Helper()
	return m.send("GET", m.at+"/authorize?"+query, "", "")
}

var requestID = regexp.MustCompile(`/me/consent\?request=([A-Z0-9]+)`)

// ask makes a request for consent and returns its id and the cookie.
func (m *remoteServer) ask(query string) (id, held string) {
	m.t.Helper()
	got := m.authorize(query)
	found := requestID.FindStringSubmatch(got.text)
	if found == nil || len(got.Cookies()) != 1 {
		m.t.Fatalf("%s %s", got.Status, got.text)
	}
	return found[1], got.Cookies()[0].Value
}

func (m *remoteServer) me() memory.Caller { return vaulttest.InPerson(m.house.Key) }

// allow lets the owner consent, and returns the parameters of the answer.
func (m *remoteServer) allow(query string, verbs ...memory.Verb) url.Values {
	m.t.Helper()
	id, held := m.ask(query)
	to, err := m.consents.Consent(m.t.Context(), m.me(), id, held, pages.ConsentDecision{Verbs: verbs})
	if err != nil {
		m.t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil {
		m.t.Fatal(err)
	}
	return u.Query()
}

// connected is an assistant with a grant.
type connected struct{ client, code, access, refresh string }

// code lets an assistant get a code for read and write.
func (m *remoteServer) code() connected {
	m.t.Helper()
	client := m.client()
	return connected{client: client, code: m.allow(m.asks(client), memory.ReadVerb, memory.WriteVerb).Get("code")}
}

func (m *remoteServer) connect() connected {
	m.t.Helper()
	c := m.code()
	got := m.exchange(c)
	if got.StatusCode != http.StatusOK {
		m.t.Fatalf("%s %s", got.Status, got.text)
	}
	c.access, c.refresh = got.value("access_token"), got.value("refresh_token")
	return c
}

// token asks for tokens with a form, which changes change as in asks.
func (m *remoteServer) token(v url.Values, changes ...string) said {
	m.t.Helper()
	for _, c := range changes {
		name, value, set := strings.Cut(c, "=")
		v.Del(name)
		if set {
			v.Set(name, value)
		}
	}
	return m.send("POST", m.at+"/token", "application/x-www-form-urlencoded", v.Encode())
}

func (m *remoteServer) exchange(c connected, changes ...string) said {
	m.t.Helper()
	return m.token(url.Values{"grant_type": {"authorization_code"}, "client_id": {c.client}, "code": {c.code}, "redirect_uri": {backThere}, "code_verifier": {verifier}}, changes...)
}

func (m *remoteServer) refresh(c connected, changes ...string) said {
	m.t.Helper()
	return m.token(url.Values{"grant_type": {"refresh_token"}, "client_id": {c.client}, "refresh_token": {c.refresh}}, changes...)
}

// beginning begins a session of MCP.
const beginning = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func (m *remoteServer) mcp(access, message string, header ...string) said {
	m.t.Helper()
	if access != "" {
		header = append(header, "Authorization: Bearer "+access)
	}
	return m.send("POST", m.at+"/mcp", "application/json", message, append(header, "Accept: application/json, text/event-stream")...)
}

// works reports the status with which a token is taken at /mcp.
func (m *remoteServer) works(access string) string {
	m.t.Helper()
	got := m.mcp(access, beginning)
	if strings.Contains(got.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
		return "401 invalid_token"
	}
	return got.Status[:3]
}

// An assistant finds its way from the refusal to the tokens; the grant is one like all others.
func TestRemoteAssistant(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		m := remoteOn(t, open(t))
		got := m.mcp("", beginning)
		want := `Bearer resource_metadata="` + m.at + `/.well-known/oauth-protected-resource/mcp", scope="read write"`
		if got.StatusCode != 401 || got.Header.Get("WWW-Authenticate") != want {
			t.Fatalf("%s %q", got.Status, got.Header.Get("WWW-Authenticate"))
		}
		for _, path := range []string{"", "/mcp", "/v1/context"} {
			about := m.send("GET", m.at+"/.well-known/oauth-protected-resource"+path, "", "")
			if about.value("resource") != m.at+path || about.json["authorization_servers"].([]any)[0] != m.at {
				t.Errorf("%s: %s", path, about.text)
			}
		}
		for _, path := range []string{"oauth-authorization-server", "openid-configuration"} {
			about := m.send("GET", m.at+"/.well-known/"+path, "", "")
			if about.value("issuer") != m.at || about.value("token_endpoint") != m.at+"/token" || about.json["client_id_metadata_document_supported"] != true ||
				len(about.json["code_challenge_methods_supported"].([]any)) != 1 {
				t.Errorf("%s: %s", path, about.text)
			}
		}

		client := m.client()
		id, held := m.ask(m.asks(client))
		asked, err := m.consents.ConsentRequest(t.Context(), m.me(), id, held)
		if err != nil || asked.Client != "Claude" || asked.Host != "" || asked.Named != pages.NamedByItself || asked.RedirectHost != "assistant.example" ||
			asked.RedirectHere || asked.Resource != m.at+"/mcp" || !slices.Equal(asked.Verbs, []memory.Verb{memory.ReadVerb, memory.WriteVerb}) || asked.Seen || asked.Context != nil {
			t.Fatalf("%+v %v", asked, err)
		}
		until := time.Now().Add(24 * time.Hour)
		to, err := m.consents.Consent(t.Context(), m.me(), id, held, pages.ConsentDecision{Verbs: []memory.Verb{memory.ReadVerb}, Projects: []string{"github.com/ana/notes"}, Until: until})
		if err != nil || !strings.HasPrefix(to, backThere+"&") {
			t.Fatal(to, err)
		}
		u, _ := url.Parse(to)
		if q := u.Query(); q.Get("iss") != m.at || q.Get("state") != "s1" || q.Get("x") != "1" {
			t.Error(to)
		}
		c := connected{client: client, code: u.Query().Get("code")}
		tokens := m.exchange(c)
		if tokens.StatusCode != 200 || tokens.value("token_type") != "Bearer" || tokens.value("scope") != "read" || tokens.json["expires_in"].(float64) > 3600 ||
			tokens.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%s %s", tokens.Status, tokens.text)
		}
		c.access, c.refresh = tokens.value("access_token"), tokens.value("refresh_token")
		if got := m.works(c.access); got != "200" {
			t.Error(got)
		}

		list, err := m.house.Tokens(t.Context(), m.me())
		if err != nil || len(list) != 1 || list[0].Name != "Claude, assistant.example" || list[0].Expires.Sub(until).Abs() > time.Second || !bytes.Contains(list[0].Claims, []byte(`"project":"github.com/ana/notes"`)) {
			t.Fatalf("%+v %v", list, err)
		}
		id, held = m.ask(m.asks(client))
		if asked, err := m.consents.ConsentRequest(t.Context(), m.me(), id, held); err != nil || !asked.Seen {
			t.Errorf("%+v %v", asked, err)
		}
		if to, err := m.consents.RefuseConsent(t.Context(), m.me(), id, held); err != nil || !strings.Contains(to, "error=access_denied") || !strings.Contains(to, "iss=") {
			t.Error(to, err)
		}

		step := m.mcp(c.access, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_remember","arguments":{"text":"x"}}}`, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: ump_remember")
		if step.StatusCode != 403 || !strings.Contains(step.Header.Get("WWW-Authenticate"), `scope="read write", error="insufficient_scope"`) {
			t.Errorf("%s %v %s", step.Status, step.Header, step.text)
		}
		next := m.refresh(c)
		if next.StatusCode != 200 || next.value("refresh_token") == c.refresh || m.works(next.value("access_token")) != "200" {
			t.Fatalf("%s %s", next.Status, next.text)
		}
		if err := m.house.RevokeToken(t.Context(), m.me(), list[0].ID); err != nil {
			t.Fatal(err)
		}
		c.refresh = next.value("refresh_token")
		if a, r := m.works(next.value("access_token")), m.refresh(c).kind(); a != "401 invalid_token" || r != "400 invalid_grant" {
			t.Errorf("after the revocation: %s, %s", a, r)
		}
	})
}

// A client that follows OAuth 2.1 alone names no redirect at /token (section 10.2): the verifier
// stands for it.
func TestRemoteNamesNoRedirect(t *testing.T) {
	m := remoteOn(t, vaulttest.Open(t))
	if got := m.exchange(m.code(), "redirect_uri"); got.StatusCode != 200 {
		t.Errorf("%s %s", got.Status, got.text)
	}
}

// Scheme and host of a resource may be in capitals (MCP, Canonical Server URI); the token is for
// the resource as the server spells it.
func TestRemoteResourceInCapitals(t *testing.T) {
	m := remoteOn(t, vaulttest.Open(t))
	client, resource := m.client(), "resource="+strings.ToUpper(m.at)+"/mcp"
	c := connected{client: client, code: m.allow(m.asks(client, resource), memory.ReadVerb).Get("code")}
	got := m.exchange(c, resource)
	if got.StatusCode != 200 || m.works(got.value("access_token")) != "200" {
		t.Errorf("%s %s", got.Status, got.text)
	}
	if got := m.authorize(m.asks(client, "resource="+m.at+"/MCP")).kind(); got != "400 invalid_target" {
		t.Error(got)
	}
}

// An assistant on a page of another site gets and uses tokens, and nothing else of the server.
func TestRemoteOnAPage(t *testing.T) {
	m := remoteOn(t, vaulttest.Open(t))
	const page, wants = "Origin: https://inspector.example", "Access-Control-Request-Method: POST"
	token := m.connect().access
	for path, open := range map[string]bool{
		"/.well-known/oauth-protected-resource/mcp": true, "/.well-known/oauth-authorization-server": true, "/register": true, "/token": true, "/revoke": true, "/mcp": true, "/v1/context": true,
		"/authorize": false, "/me/": false, "/me/consent": false, "/me/consent/allow": false, "/ump/recall": false, "/mcpx": false, "/aaif/agents": false, "/v1/brain/manifest": false,
	} {
		got := m.send("OPTIONS", m.at+path, "", "", page, wants, "Access-Control-Request-Headers: authorization,mcp-protocol-version")
		if h := got.Header; open != (got.StatusCode == 204 && h.Get("Access-Control-Allow-Origin") == "*" && h.Get("Access-Control-Allow-Headers") == "authorization,mcp-protocol-version" &&
			h.Get("Access-Control-Allow-Credentials") == "") || !open && (got.StatusCode != 403 || h.Get("Access-Control-Allow-Origin") != "") {
			t.Errorf("%s: %s %v", path, got.Status, h)
		}
	}
	if got := m.mcp(token, beginning, page); got.StatusCode != 200 || got.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(got.Header.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
		t.Errorf("%s %v", got.Status, got.Header)
	}
	if got := m.mcp("", beginning, page); got.StatusCode != 401 || !strings.Contains(got.Header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
		t.Errorf("%s %v", got.Status, got.Header)
	}
}

// What the owner opens of several projects is what the assistant finds.
func TestRemoteProjects(t *testing.T) {
	m := remoteOn(t, vaulttest.Open(t))
	for project, text := range map[string]string{"github.com/ana/notes": "the kiln is red", "github.com/ana/shop": "the kiln is blue", "github.com/ana/diary": "the kiln is green"} {
		m.house.Tell(text, `"scope":{"visibility":"shared","project":"`+project+`"}`)
	}
	client := m.client()
	id, held := m.ask(m.asks(client))
	to, err := m.consents.Consent(t.Context(), m.me(), id, held, pages.ConsentDecision{Verbs: []memory.Verb{memory.ReadVerb}, Projects: []string{"github.com/ana/notes", "github.com/ana/shop"}})
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(to)
	c := connected{client: client, code: u.Query().Get("code")}
	tokens := m.exchange(c)
	c.refresh = tokens.value("refresh_token")
	for name, access := range map[string]string{"the first token": tokens.value("access_token"), "the next token": m.refresh(c).value("access_token")} {
		got := m.mcp(access, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"kiln"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: ump_recall")
		if !strings.Contains(got.text, "red") || !strings.Contains(got.text, "blue") || strings.Contains(got.text, "green") {
			t.Errorf("%s finds %s", name, got.text)
		}
		if got := m.mcp(access, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"); got.StatusCode != 400 { // refused as described, see [watched]
			t.Errorf("without _meta: %s %s", got.Status, got.text)
		}
	}
}

// Without --oauth there is no route and no header.
func TestNoRemoteAssistants(t *testing.T) {
	m := remoteOn(t, vaulttest.Open(t), func(o *server.Options) { o.OAuth = server.OAuth{} })
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/authorize", "/token", "/register", "/revoke"} {
		if got := m.send("GET", m.at+path, "", ""); got.StatusCode != 404 {
			t.Errorf("%s: %s", path, got.Status)
		}
	}
	if got := m.mcp("", beginning); got.StatusCode != 401 || got.Header.Get("WWW-Authenticate") != `Bearer realm="satchel"` {
		t.Errorf("%s %v", got.Status, got.Header)
	}
	if _, err := m.consents.ConsentRequest(t.Context(), m.me(), "x", "x"); memory.KindOf(err) != memory.Unsupported {
		t.Error(err)
	}
	if _, err := m.consents.Consent(t.Context(), m.me(), "x", "x", pages.ConsentDecision{}); memory.KindOf(err) != memory.Unsupported {
		t.Error(err)
	}
	if _, err := m.consents.RefuseConsent(t.Context(), m.me(), "x", "x"); memory.KindOf(err) != memory.Unsupported {
		t.Error(err)
	}
}

// An assistant of Engram gets the context that the owner consents to, in the standard scope it
// asked for, until the owner ends it.
func TestRemoteContext(t *testing.T) {
	m := remoteOn(t, vaulttest.Open(t), func(o *server.Options) { o.Contexts = issuing(t, o.Contexts) })
	client := m.client()
	query := m.asks(client, "resource="+m.at+"/v1/context", "scope=engram:professional", "purpose=helps with work")
	id, held := m.ask(query)
	t.Run("ENGRAM-12.1-1 a runtime asks, the user approves, the code becomes a token", func(t *testing.T) {
		asked, err := m.consents.ConsentRequest(t.Context(), m.me(), id, held)
		if err != nil || asked.Context == nil || asked.Context.Scope != "professional" || asked.Context.Purpose != "helps with work" {
			t.Fatalf("%+v %v", asked, err)
		}
		c := connected{client: client, code: m.allow(query, memory.ReadVerb).Get("code")}
		got := m.exchange(c)
		if got.value("scope") != "engram:professional read" {
			t.Fatalf("%s %s", got.Status, got.text)
		}
		access := "Authorization: Bearer " + got.value("access_token")
		for path, want := range map[string]int{"/v1/context?scope=professional": 200, "/v1/context": 200, "/v1/context?scope=personal": 403, "/mcp": 401, "/ump/capabilities": 401} {
			method := "GET"
			if path == "/mcp" {
				method = "POST"
			}
			if got := m.send(method, m.at+path, "application/json", "", access); got.StatusCode != want {
				t.Errorf("%s: %s %s", path, got.Status, got.text)
			}
		}
		c.refresh = got.value("refresh_token")
		if got := m.refresh(c, "scope=engram:full"); got.kind() != "400 invalid_scope" {
			t.Errorf("%s %s", got.Status, got.text)
		}
		if got := m.send("POST", m.at+"/revoke", "application/x-www-form-urlencoded", url.Values{"client_id": {client}, "token": {c.refresh}}.Encode()); got.StatusCode != 200 {
			t.Errorf("%s %s", got.Status, got.text)
		}
		if got := m.send("GET", m.at+"/v1/context", "", "", access); got.StatusCode != 401 || !strings.Contains(got.Header.Get("WWW-Authenticate"), "/.well-known/oauth-protected-resource/v1/context") {
			t.Errorf("%s %v", got.Status, got.Header)
		}
	})
	t.Run("ENGRAM-12.1-5 a token ends, and the grant too", func(t *testing.T) {
		id, held := m.ask(query)
		until := time.Now().Add(24 * time.Hour)
		to, err := m.consents.Consent(t.Context(), m.me(), id, held, pages.ConsentDecision{Verbs: []memory.Verb{memory.ReadVerb}, Until: until})
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(to)
		tokens := m.exchange(connected{client: client, code: u.Query().Get("code")})
		c := connected{client: client, access: tokens.value("access_token"), refresh: tokens.value("refresh_token")}
		context := func(access string) said {
			return m.send("GET", m.at+"/v1/context", "", "", "Authorization: Bearer "+access)
		}
		if got := context(c.access); got.StatusCode != 200 {
			t.Fatalf("%s %s", got.Status, got.text)
		}
		m.house.Pass(time.Hour + memory.ClockSkew + time.Second)
		if got := context(c.access); got.StatusCode != 401 || !strings.Contains(got.text, `"token_expired"`) {
			t.Errorf("after an hour: %s %s", got.Status, got.text)
		}
		next := m.refresh(c)
		if got := context(next.value("access_token")); got.StatusCode != 200 {
			t.Errorf("with the next token: %s %s", got.Status, got.text)
		}
		c.refresh = next.value("refresh_token")
		m.house.Now = until.Add(memory.ClockSkew + time.Second)
		if a, r := context(next.value("access_token")), m.refresh(c).kind(); a.StatusCode != 401 || r != "400 invalid_grant" {
			t.Errorf("after the grant: %s %s, %s", a.Status, a.text, r)
		}
	})
}

// What an owner erases, and a key that changes, ends what assistants were granted.
func TestRemoteErasure(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		m := remoteOn(t, open(t))
		c := m.connect()
		if _, err := m.house.EraseOwner(t.Context(), m.me()); err != nil {
			t.Fatal(err)
		}
		if a, r := m.works(c.access), m.refresh(c).kind(); a != "401 invalid_token" || r != "400 invalid_grant" {
			t.Errorf("%s, %s", a, r)
		}
		c = m.connect()
		to := seeded(t, 9)
		if _, err := m.house.Rekey(t.Context(), m.me(), to, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := m.house.FinishRekey(t.Context(), m.me(), to.DID()); err != nil {
			t.Fatal(err)
		}
		if a, r := m.works(c.access), m.refresh(c).kind(); a == "200" || r == "200" {
			t.Errorf("after the change of keys: %s, %s", a, r)
		}
		m = remoteOn(t, m.house.ServerOf(to))
		if a, r := m.works(c.access), m.refresh(c).kind(); a != "401 invalid_token" || r != "400 invalid_grant" {
			t.Errorf("at a server with the new key: %s, %s", a, r)
		}
	})
}

// Two refreshes at once, as by two programs of one assistant, get the same refresh token.
func TestRemoteRefreshRace(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		m := remoteOn(t, open(t))
		c := m.connect()
		got := make(chan said, 2)
		for range 2 {
			go func() { got <- m.refresh(c) }()
		}
		one, two := <-got, <-got
		if one.kind() != "200" || two.kind() != "200" || one.value("refresh_token") != two.value("refresh_token") || m.works(two.value("access_token")) != "200" {
			t.Errorf("%s, %s", one.text, two.text)
		}
		c.refresh = one.value("refresh_token")
		if next := m.refresh(c); next.kind() != "200" {
			t.Errorf("the next refresh: %s", next.text)
		}
	})
}
