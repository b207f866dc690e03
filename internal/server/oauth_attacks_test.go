package server_test

import (
	"crypto/x509"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault/delegation"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// attack is something that a stranger tries, and how it is refused: by status and code.
type attack struct {
	name, want string
	do         func(*remoteServer) string
}

// asking tries a request for consent with changes.
func asking(changes ...string) func(*remoteServer) string {
	return func(m *remoteServer) string { return m.authorize(m.asks(m.client(), changes...)).kind() }
}

// redirecting tries an address for the answer that is like a registered one.
func redirecting(to string, registered ...string) func(*remoteServer) string {
	return func(m *remoteServer) string {
		got := m.authorize(m.asks(m.client(registered...), "redirect_uri="+to))
		if got.Header.Get("Location") != "" || strings.Contains(got.text, "evil") {
			return "leads on: " + got.text
		}
		return got.kind()
	}
}

// registering tries to register an address for answers.
func registering(to string) func(*remoteServer) string {
	return func(m *remoteServer) string { return m.register(`{"redirect_uris":["` + to + `"]}`).kind() }
}

// exchanging tries a code with changes, and then checks that the code is still good for its
// client.
func exchanging(changes ...string) func(*remoteServer) string {
	return func(m *remoteServer) string {
		c := m.code()
		kind := m.exchange(c, changes...).kind()
		if got := m.exchange(c); got.StatusCode != 200 {
			return kind + ", and the client gets " + got.kind()
		}
		return kind
	}
}

// refreshing tries a refresh token with changes.
func refreshing(changes ...string) func(*remoteServer) string {
	return func(m *remoteServer) string { return m.refresh(m.connect(), changes...).kind() }
}

// documented tries a client that is named by an address.
func documented(id string) func(*remoteServer) string {
	return func(m *remoteServer) string { return m.authorize(m.asks(id)).kind() }
}

// kindOf is the kind of a refusal to the owner's page.
func kindOf(_ string, err error) string { return string(memory.KindOf(err)) }

func redirectAttacks() []attack {
	return []attack{
		{"a redirect to an address that nobody registered", "400 invalid_request", redirecting("https://evil.example/back")},
		{"a redirect without an address", "400 invalid_request", asking("redirect_uri")},
		{"a longer path", "400 invalid_request", redirecting(backThere + "/evil")},
		{"a shorter path", "400 invalid_request", redirecting("https://assistant.example/back")},
		{"a host that begins alike", "400 invalid_request", redirecting("https://assistant.example.evil.example/back?x=1")},
		{"a user that looks like the host", "400 invalid_request", redirecting("https://assistant.example@evil.example/back?x=1")},
		{"other case", "400 invalid_request", redirecting("https://assistant.example/BACK?x=1")},
		{"a fragment", "400 invalid_request", redirecting(backThere + "#evil")},
		{"another port", "400 invalid_request", redirecting("https://assistant.example:8443/back?x=1")},
		{"dot segments", "400 invalid_request", redirecting("https://assistant.example/evil/../back?x=1")},
		{"http for https", "400 invalid_request", redirecting("http://assistant.example/back?x=1")},
		{"another path on the browser's machine", "400 invalid_request", redirecting("http://127.0.0.1:9/evil", "http://127.0.0.1/back")},
		{"a name of the browser's machine for its address", "400 invalid_request", redirecting("http://localhost:9/back", "http://127.0.0.1/back")},
		{"an unknown client", "401 invalid_client", func(m *remoteServer) string { return m.authorize(m.asks("reg_x.y")).kind() }},
		{"a registration that somebody changed", "401 invalid_client", func(m *remoteServer) string {
			id, signature, _ := strings.Cut(strings.TrimPrefix(m.client(), "reg_"), ".")
			text, _ := base64.RawURLEncoding.DecodeString(id)
			text = []byte(strings.Replace(string(text), "assistant.example", "evil.example/////", 1))
			return m.authorize(m.asks("reg_"+base64.RawURLEncoding.EncodeToString(text)+"."+signature, "redirect_uri=https://evil.example/////back?x=1")).kind()
		}},
		{"registering javascript:", "400 invalid_redirect_uri", registering("javascript:alert(1)")},
		{"registering data:", "400 invalid_redirect_uri", registering("data:text/html,x")},
		{"registering http elsewhere", "400 invalid_redirect_uri", registering("http://evil.example/back")},
		{"registering a fragment", "400 invalid_redirect_uri", registering("https://evil.example/#x")},
		{"registering a scheme of an app", "400 invalid_redirect_uri", registering("evil://back")},
		{"registering nothing", "400 invalid_redirect_uri", func(m *remoteServer) string { return m.register(`{}`).kind() }},
		{"registering one member twice", "400 invalid_client_metadata", func(m *remoteServer) string {
			return m.register(`{"redirect_uris":["https://a.example/"],"redirect_uris":["https://b.example/"]}`).kind()
		}},
		{"registering the implicit flow", "400 invalid_client_metadata", func(m *remoteServer) string {
			return m.register(`{"redirect_uris":["https://a.example/"],"response_types":["token"]}`).kind()
		}},
		{"a registration of a megabyte", "413 invalid_client_metadata", func(m *remoteServer) string {
			return m.register(`{"client_name":"` + strings.Repeat("x", 1<<20) + `"}`).kind()
		}},
	}
}

func requestAttacks() []attack {
	return []attack{
		{"no PKCE", "400 invalid_request", asking("code_challenge", "code_challenge_method")},
		{"PKCE with plain", "400 invalid_request", asking("code_challenge_method=plain")},
		{"PKCE without a method, which means plain", "400 invalid_request", asking("code_challenge_method")},
		{"a short challenge", "400 invalid_request", asking("code_challenge=abc")},
		{"the implicit flow", "400 unsupported_response_type", asking("response_type=token")},
		{"an ID token", "400 unsupported_response_type", asking("response_type=code id_token")},
		{"the answer in a fragment", "400 invalid_request", asking("response_mode=fragment")},
		{"a request object", "400 request_not_supported", asking("request=eyJhbGciOiJub25lIn0.e30.")},
		{"the address of a request object", "400 request_uri_not_supported", asking("request_uri=https://evil.example/")},
		{"no question to the owner", "400 interaction_required", asking("prompt=none")},
		{"no resource", "400 invalid_target", asking("resource")},
		{"the resource of another server", "400 invalid_target", asking("resource=https://evil.example/mcp")},
		{"an unknown scope", "400 invalid_scope", asking("scope=read admin")},
		{"a parameter twice", "400 invalid_request", func(m *remoteServer) string {
			return m.authorize(m.asks(m.client()) + "&redirect_uri=" + url.QueryEscape("https://evil.example/")).kind()
		}},
		{"a request by POST", "405 invalid_request", func(m *remoteServer) string {
			return m.send("POST", m.at+"/authorize", "application/x-www-form-urlencoded", m.asks(m.client())).kind()
		}},
		{"consent in another browser", "not_found", func(m *remoteServer) string {
			id, _ := m.ask(m.asks(m.client()))
			_, other := m.ask(m.asks(m.client()))
			return kindOf(m.consents.Consent(m.t.Context(), m.me(), id, other, pages.ConsentDecision{Verbs: []memory.Verb{memory.ReadVerb}}))
		}},
		{"consent without the browser's cookie", "not_found", func(m *remoteServer) string {
			id, _ := m.ask(m.asks(m.client()))
			return kindOf(m.consents.Consent(m.t.Context(), m.me(), id, "", pages.ConsentDecision{Verbs: []memory.Verb{memory.ReadVerb}}))
		}},
		{"consent to more than was asked for", "forbidden_scope", func(m *remoteServer) string {
			id, held := m.ask(m.asks(m.client(), "scope=read"))
			return kindOf(m.consents.Consent(m.t.Context(), m.me(), id, held, pages.ConsentDecision{Verbs: memory.Verbs()}))
		}},
		{"consent without an end", "invalid_record", func(m *remoteServer) string {
			id, held := m.ask(m.asks(m.client()))
			return kindOf(m.consents.Consent(m.t.Context(), m.me(), id, held, pages.ConsentDecision{Verbs: []memory.Verb{memory.ReadVerb}, Until: time.Now().Add(1e5 * time.Hour)}))
		}},
		{"consent by somebody else than an owner in person", "forbidden_scope", func(m *remoteServer) string {
			id, held := m.ask(m.asks(m.client()))
			c := m.me()
			c.Role = memory.Agent
			return kindOf(m.consents.Consent(m.t.Context(), c, id, held, pages.ConsentDecision{Verbs: []memory.Verb{memory.ReadVerb}}))
		}},
		{"a frame around the request", "default-src 'none'; frame-ancestors 'none'", func(m *remoteServer) string {
			return m.authorize(m.asks(m.client())).Header.Get("Content-Security-Policy")
		}},
		{"a form of another site", "403 forbidden_scope", func(m *remoteServer) string {
			got := m.send("GET", m.at+"/authorize?"+m.asks(m.client()), "", "", "Origin: https://evil.example")
			return got.Status[:3] + " " + string(answer{got.Response, []byte(got.text)}.code(m.t))
		}},
	}
}

func tokenAttacks() []attack {
	return []attack{
		{"a code of another client", "400 invalid_grant", func(m *remoteServer) string { return m.exchange(m.code(), "client_id="+m.client()).kind() }},
		{"a code with another redirect", "400 invalid_grant", exchanging("redirect_uri=https://assistant.example/back")},
		{"a code without a verifier", "400 invalid_request", exchanging("code_verifier")},
		{"a code with another verifier", "400 invalid_grant", exchanging("code_verifier=" + strings.Repeat("b", 43))},
		{"the challenge as a verifier", "400 invalid_grant", exchanging("code_verifier=" + challengeOf(verifier))},
		{"a short verifier", "400 invalid_request", exchanging("code_verifier=short")},
		{"a code for another resource", "400 invalid_target", func(m *remoteServer) string { return m.exchange(m.code(), "resource="+m.at+"/v1/context").kind() }},
		{"a code for another server", "400 invalid_target", exchanging("resource=https://evil.example/mcp")},
		{"a guessed code", "400 invalid_grant", exchanging("code=" + strings.Repeat("a", 32))},
		{"a code that comes twice ends the grant", "400 invalid_grant, 401 invalid_token, 400 invalid_grant", func(m *remoteServer) string {
			c := m.connect()
			return m.exchange(c).kind() + ", " + m.works(c.access) + ", " + m.refresh(c).kind()
		}},
		{"an old code", "400 invalid_grant", func(m *remoteServer) string {
			c := m.code()
			m.house.Now = m.house.Now.Add(61 * time.Second)
			return m.exchange(c).kind()
		}},
		{"a code in the address", "400 invalid_request", func(m *remoteServer) string {
			return m.send("POST", m.at+"/token?code="+m.code().code, "application/x-www-form-urlencoded", "grant_type=authorization_code").kind()
		}},
		{"the password grant", "400 unsupported_grant_type", refreshing("grant_type=password", "username=ana", "password=x")},
		{"client credentials", "400 unsupported_grant_type", refreshing("grant_type=client_credentials")},
		{"a client with a secret", "401 invalid_client", refreshing("client_secret=x")},
		{"more scope at a refresh", "400 invalid_scope", refreshing("scope=read write export")},
		{"another resource at a refresh", "400 invalid_target", func(m *remoteServer) string { return m.refresh(m.connect(), "resource="+m.at+"/v1/context").kind() }},
		{"a stolen refresh token with another client", "400 invalid_grant", func(m *remoteServer) string { return m.refresh(m.connect(), "client_id="+m.client()).kind() }},
		{"a refresh token that comes again a minute later ends the grant", "400 invalid_grant, 400 invalid_grant, 401 invalid_token", func(m *remoteServer) string {
			c := m.connect()
			next := m.refresh(c)
			m.house.Pass(time.Minute)
			again := m.refresh(c).kind()
			c.refresh = next.value("refresh_token")
			return again + ", " + m.refresh(c).kind() + ", " + m.works(next.value("access_token"))
		}},
		{"a refresh token that comes again after the next one ends the grant at once", "400 invalid_grant, 401 invalid_token", func(m *remoteServer) string {
			first := m.connect()
			next := first
			next.refresh = m.refresh(first).value("refresh_token")
			access := m.refresh(next).value("access_token")
			return m.refresh(first).kind() + ", " + m.works(access)
		}},
		{"a refresh token as an access token", "401 invalid_token", func(m *remoteServer) string { return m.works(m.connect().refresh) }},
		{"an access token as a refresh token", "400 invalid_grant", func(m *remoteServer) string {
			c := m.connect()
			c.refresh = c.access
			return m.refresh(c).kind()
		}},
		{"a token in the address", "401", func(m *remoteServer) string {
			return m.send("POST", m.at+"/mcp?access_token="+m.connect().access, "application/json", beginning).kind()[:3]
		}},
		{"a token for /mcp at /ump", "401", func(m *remoteServer) string {
			return m.send("POST", m.at+"/ump/recall", "application/json", `{"query":"x"}`, "Authorization: Bearer "+m.connect().access).Status[:3]
		}},
		{"a token of another server of the owner", "401 invalid_token", func(m *remoteServer) string { return remoteOn(m.t, m.house).works(m.connect().access) }},
		{"an expired token", "401 invalid_token", func(m *remoteServer) string {
			c := m.connect()
			m.house.Now = m.house.Now.Add(62 * time.Minute)
			return m.works(c.access)
		}},
		{"a revoked token, and what came from it", "401 invalid_token, 400 invalid_grant", func(m *remoteServer) string {
			c := m.connect()
			m.send("POST", m.at+"/revoke", "application/x-www-form-urlencoded", url.Values{"client_id": {c.client}, "token": {c.access}}.Encode())
			return m.works(c.access) + ", " + m.refresh(c).kind()
		}},
		{"a revocation by another client", "200", func(m *remoteServer) string {
			c := m.connect()
			m.send("POST", m.at+"/revoke", "application/x-www-form-urlencoded", url.Values{"client_id": {m.client()}, "token": {c.refresh}}.Encode())
			return m.refresh(c).kind()
		}},
		{"a revocation of an access token by another client", "200, 200", func(m *remoteServer) string {
			c := m.connect()
			m.send("POST", m.at+"/revoke", "application/x-www-form-urlencoded", url.Values{"client_id": {m.client()}, "token": {c.access}}.Encode())
			return m.works(c.access) + ", " + m.refresh(c).kind()
		}},
		{"a client with a secret in a header", "401 invalid_client, Basic realm=\"satchel\"", func(m *remoteServer) string {
			got := m.send("POST", m.at+"/token", "application/x-www-form-urlencoded", "grant_type=refresh_token", "Authorization: Basic eDp5")
			return got.kind() + ", " + got.Header.Get("WWW-Authenticate")
		}},
		{"a code of an owner who is not here", "400 invalid_grant", func(m *remoteServer) string {
			c := m.code()
			c.code += ".did:key:z6MkfrQeZ5AtgQKtYUTFGRNFjDhG8HXQCzJ1VPU2EKKCr9TJ"
			return m.exchange(c).kind()
		}},
		{"a token for the pages", "303", func(m *remoteServer) string {
			return m.send("GET", m.at+"/me/memories", "", "", "Authorization: Bearer "+m.connect().access).Status[:3]
		}},
	}
}

func documentAttacks() []attack {
	return []attack{
		{"a document on this machine", "401 invalid_client", documented("https://127.0.0.1/client.json")},
		{"a document at the cloud's own address", "401 invalid_client", documented("https://169.254.169.254/client.json")},
		{"a document in a private network", "401 invalid_client", documented("https://10.0.0.1/client.json")},
		{"a name that leads to this machine", "401 invalid_client", documented("https://localhost/client.json")},
		{"an address in other digits", "401 invalid_client", documented("https://2130706433/client.json")},
		{"a document by http", "401 invalid_client", documented("http://client.example/client.json")},
		{"a document with a query", "401 invalid_client", documented("https://client.example/client.json?x=1")},
		{"a document without a path", "401 invalid_client", documented("https://client.example")},
	}
}

func runAttacks(t *testing.T, m *remoteServer, all []attack) {
	t.Helper()
	for _, a := range all {
		t.Run(a.name, func(t *testing.T) {
			of := *m
			of.t = t
			if got := a.do(&of); got != a.want {
				t.Errorf("got %q, want %q", got, a.want)
			}
		})
	}
}

// Each attack on the flow is refused, and by its kind.
func TestRemoteAttacks(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		m := remoteOn(t, open(t))
		for _, group := range [][]attack{redirectAttacks(), requestAttacks(), tokenAttacks(), documentAttacks()} {
			runAttacks(t, m, group)
		}
	})
}

// A document has to be what its address says, short, and where it is.
func TestRemoteDocuments(t *testing.T) {
	var base string
	documents := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		said := func(id, more string) string {
			return `{"client_id":"` + base + id + `","client_name":"Notes for all","redirect_uris":["` + backThere + `"]` + more + `}`
		}
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/good", http.StatusFound)
			return
		case "/other":
			_, _ = w.Write([]byte(said("/good", "")))
		case "/long":
			_, _ = w.Write([]byte(said("/long", `,"x":"`+strings.Repeat("x", 20<<10)+`"`)))
		case "/secret":
			_, _ = w.Write([]byte(said("/secret", `,"token_endpoint_auth_method":"client_secret_post"`)))
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(said("/page", "")))
		default:
			_, _ = w.Write([]byte(said(r.URL.Path, "")))
		}
	}))
	defer documents.Close()
	base = documents.URL
	roots := x509.NewCertPool()
	roots.AddCert(documents.Certificate())
	m := remoteOn(t, vaulttest.Open(t), func(o *server.Options) { o.OAuth.Private, o.OAuth.Roots = true, roots })
	runAttacks(t, m, []attack{
		{"a document that leads elsewhere", "401 invalid_client", documented(base + "/moved")},
		{"a document of another client", "401 invalid_client", documented(base + "/other")},
		{"a long document", "401 invalid_client", documented(base + "/long")},
		{"a document of a client with a secret", "401 invalid_client", documented(base + "/secret")},
		{"a page", "401 invalid_client", documented(base + "/page")},
		{"a redirect that the document does not name", "400 invalid_request", func(m *remoteServer) string {
			return m.authorize(m.asks(base+"/good", "redirect_uri=https://evil.example/")).kind()
		}},
	})
	id, held := m.ask(m.asks(base + "/good"))
	asked, err := m.consents.ConsentRequest(t.Context(), m.me(), id, held)
	if err != nil || asked.Client != "Notes for all" || asked.Named != pages.NamedByDocument || asked.Host != strings.TrimPrefix(base, "https://") || asked.Document != base+"/good" {
		t.Errorf("%+v %v", asked, err)
	}
	c := connected{client: base + "/good", code: m.allow(m.asks(base+"/good"), memory.ReadVerb).Get("code")}
	if got := m.exchange(c); got.StatusCode != 200 {
		t.Errorf("%s %s", got.Status, got.text)
	}
}

// A stranger who registers without end is slowed down, and nothing of it is kept.
func TestRemoteFlood(t *testing.T) {
	m := remoteOn(t, vaulttest.Open(t), func(o *server.Options) { o.FailRate, o.FailBurst = 1e-3, 10 })
	refused := 0
	for range 5 {
		if got := m.register(`{"redirect_uris":["https://a.example/"]}`); got.StatusCode == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d of 5 were refused", refused)
	}
	if got := m.authorize(m.asks("https://a.example/x")); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("%s %s", got.Status, got.text)
	}
}

// Each question for a passkey is stored: strangers of many addresses get a bounded number of them,
// and a link lets its owner in all the same.
func TestManyAskForPasskeys(t *testing.T) {
	h := vaulttest.Open(t)
	s, err := server.New(server.Options{Backend: server.Over(h.Vault), Owner: h.Key.DID(), Token: token, Release: "1.0.0", FailRate: 1e-3, FailBurst: 2,
		Hosts: []string{"notes.example"}, Pages: server.Pages{Name: pageHost}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	post := func(from, path, form string) int {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "https://notes.example"+path, strings.NewReader(form))
		r.RemoteAddr = from + ":1"
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	given := 0
	for i := range 100 {
		if post("203.0.113."+strconv.Itoa(i), pages.AskPath, "") == http.StatusOK {
			given++
		}
	}
	if given != 16 {
		t.Errorf("%d questions were stored", given)
	}
	e, err := visit.New(h.Vault).Invite(t.Context(), vaulttest.InPerson(h.Key), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if got := post("203.0.113.200", pages.EnterPath, "secret="+url.QueryEscape(e.Secret)); got != http.StatusSeeOther {
		t.Errorf("a link: %d", got)
	}
}

// A JWT that says it needs no signature opens nothing, and neither does any other token of a
// stranger, while another issuer lets assistants in.
func TestRemoteOutside(t *testing.T) {
	h := vaulttest.Open(t)
	m := remoteOn(t, h, func(o *server.Options) {
		o.OAuth = server.OAuth{Outside: &oauth.Outside{Issuer: "https://login.example", Keys: "https://127.0.0.1:1/keys", Audience: "https://notes.example/mcp", Subject: "ana", Owner: h.Key.DID(), Verbs: []memory.Verb{memory.ReadVerb}}}
	})
	part := base64.RawURLEncoding.EncodeToString
	unsigned := part([]byte(`{"alg":"none","typ":"at+jwt"}`)) + "." + part([]byte(`{"iss":"https://login.example","aud":"https://notes.example/mcp","sub":"ana","exp":9999999999}`)) + "."
	if got := m.works(unsigned); got != "401 invalid_token" {
		t.Error(got)
	}
	about := m.send("GET", m.at+"/.well-known/oauth-protected-resource/mcp", "", "")
	if about.json["authorization_servers"].([]any)[0] != "https://login.example" {
		t.Error(about.text)
	}
	for _, path := range []string{"/authorize", "/token", "/register", "/.well-known/oauth-authorization-server"} {
		if got := m.send("GET", m.at+path, "", ""); got.StatusCode != 404 {
			t.Errorf("%s: %s", path, got.Status)
		}
		if described := m.send("GET", m.at+"/openapi.json", "", "").json["paths"].(map[string]any); described[path] != nil || described["/.well-known/oauth-protected-resource/mcp"] == nil {
			t.Errorf("%s is described, or where tokens come from is not", path)
		}
	}
	revoked := memory.Grant{ID: "outside-0123", Verbs: []memory.Verb{memory.ReadVerb}}
	if _, err := delegation.New(h.Vault).AdmitGrant(t.Context(), h.Key.DID(), revoked); err != nil {
		t.Error(err)
	}
	if err := h.RevokeToken(t.Context(), m.me(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := delegation.New(h.Vault).AdmitGrant(t.Context(), h.Key.DID(), revoked); memory.KindOf(err) != memory.Unauthorized {
		t.Error(err)
	}
}
