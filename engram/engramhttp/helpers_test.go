package engramhttp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// The ids of the two beliefs that there are.
var style, diet = engram.IDFrom("style"), engram.IDFrom("diet")

// site is the API over a service, with a clock that stands still.
type site struct {
	*engramhttp.Handler
	service *service
	now     time.Time
	who     memory.Caller
	denied  error
	kid     string
	told    []memory.ErrorKind
	causes  []error
}

const home = "http://127.0.0.1:7777"

func serve(t *testing.T, o engramhttp.Options) *site {
	t.Helper()
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s := &site{service: remembered(), now: noon, kid: "key-2026-06"}
	s.who = memory.Caller{Owner: key.DID(), Role: memory.Owner}
	o.Now = func() time.Time { return s.now }
	o.Authenticate = func(*http.Request) (memory.Caller, error) { return s.who, s.denied }
	o.Refused = func(_ *http.Request, k memory.ErrorKind) { s.told = append(s.told, k) }
	o.Report = func(_ *http.Request, err error) { s.causes = append(s.causes, err) }
	if o.Issuer == nil {
		o.Issuer = func() (engramhttp.Issuer, error) {
			signer := engram.Signer{Issuer: engram.Issuer{Name: "Satchel", URL: home}, Kid: s.kid, Key: key}
			return engramhttp.Issuer{Signer: signer,
				Keys: engram.EncodeKeys([]engram.Key{engram.NewKey(s.kid, key.Public(), noon)})}, nil
		}
	}
	s.Handler = engramhttp.New(s.service, o)
	return s
}

// runtime lets somebody in with a token for a scope.
func (s *site) runtime(scope string, verbs ...memory.Verb) {
	s.who = memory.Caller{Owner: s.who.Owner, Role: memory.Peer, Grant: &memory.Grant{
		ID: "token-" + scope, Verbs: verbs, Runtime: &memory.Runtime{Name: "notes", Scope: scope},
	}}
}

// reply is an answer that was read.
type reply struct {
	*http.Response
	body []byte
}

// do sends a request; headers are spelled as in HTTP.
func (s *site) do(method, target, body string, header ...string) reply {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	got := w.Result()
	data, _ := io.ReadAll(got.Body)
	return reply{got, data}
}

// refused checks that an answer is the error of a code and a status.
func (r reply) refused(t *testing.T, status int, code engram.Code) string {
	t.Helper()
	var said map[string]map[string]any
	if err := json.Unmarshal(r.body, &said); err != nil || len(said) != 1 || len(said["error"]) != 3 {
		t.Fatalf("status %d: no error of section 3.9: %s", r.StatusCode, r.body)
	}
	e := said["error"]
	message, _ := e["message"].(string)
	if r.StatusCode != status || e["status"] != float64(status) || e["code"] != string(code) || message == "" {
		t.Errorf("status %d, %s; want %d %s", r.StatusCode, r.body, status, code)
	}
	if media := r.Header.Get("Content-Type"); media != "application/json" {
		t.Errorf("it is of type %q", media)
	}
	return message
}

// object reads an answer that is one.
func (r reply) object(t *testing.T, status int) map[string]any {
	t.Helper()
	var said map[string]any
	if err := json.Unmarshal(r.body, &said); err != nil || r.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", r.StatusCode, status, r.body)
	}
	return said
}
