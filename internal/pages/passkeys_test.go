package pages_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
)

// A browser is let in by a passkey, at the address that the passkey is for; other answers get
// the refusal of links.
func TestEnterByPasskey(t *testing.T) {
	s := open()
	got, body := s.ask("POST", "/me/enter/ask", "token=", "Host: m-1234.localhost:7777")
	if got.StatusCode != 200 || body != `{"rpId":"m-1234.localhost"}` || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", got.StatusCode, body)
	}
	refused, said := s.ask("POST", "/me/enter", "passkey=forged")
	_, link := s.ask("POST", "/me/enter", "secret=wrong")
	if refused.StatusCode != 403 || said != link {
		t.Errorf("%d %s", refused.StatusCode, said)
	}
	if got, _ := s.ask("POST", "/me/enter", "passkey=signed"); got.StatusCode != 303 || !strings.Contains(got.Header.Get("Set-Cookie"), "cookie1") {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
	for name, header := range map[string]string{"another site": "Sec-Fetch-Site: cross-site", "another port": "Origin: http://m-1234.localhost:1"} {
		if got, _ := s.ask("POST", "/me/enter/ask", "token=", header); got.StatusCode != 403 {
			t.Errorf("%s asks for a passkey: %d", name, got.StatusCode)
		}
	}
}

// Passkeys are listed, added and removed by forms of the visit.
func TestPasskeys(t *testing.T) {
	s := open()
	_, body := s.ask("GET", "/me/passkeys", "", visit)
	wants(t, body, "Firefox on Linux", "Add a passkey", "Remove</button>")
	token := tokenIn(t, body)
	form := func(pairs ...string) string {
		v := url.Values{"token": {token}}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v.Encode()
	}
	for name, c := range map[string]struct {
		path, form string
		status     int
	}{
		"a question without a token": {"/me/passkeys/offer", "", 403},
		"a question":                 {"/me/passkeys/offer", form(), 200},
		"an answer without a token":  {"/me/passkeys", "passkey=made", 403},
		"a forged answer":            {"/me/passkeys", form("passkey", "forged"), 403},
		"removal without a token":    {"/me/passkeys/drop", "id=key1", 403},
	} {
		if got, body := s.ask("POST", c.path, c.form, visit); got.StatusCode != c.status {
			t.Errorf("%s: %d %s", name, got.StatusCode, body)
		}
	}
	if s.fake.keys != 0 {
		t.Errorf("%d passkeys were added", s.fake.keys)
	}
	if got, _ := s.ask("POST", "/me/passkeys", form("passkey", "made"), visit); got.StatusCode != 303 || s.fake.keys != 1 {
		t.Errorf("adding: %d", got.StatusCode)
	}
	if got, _ := s.ask("POST", "/me/passkeys/drop", form("id", "key1"), visit); got.StatusCode != 303 || s.fake.keys != 0 {
		t.Errorf("removing: %d", got.StatusCode)
	}
	s.fake.fails = &memory.Error{Kind: memory.ForbiddenScope, Message: "a passkey is added within ten minutes of entering"}
	if got, body := s.ask("POST", "/me/passkeys/offer", form(), visit); got.StatusCode != 403 || !strings.Contains(body, "within ten minutes") {
		t.Errorf("too late: %d %s", got.StatusCode, body)
	}
}
