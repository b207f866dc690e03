package tool_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// secretive returns options with one variable, TOKEN, that this machine may have.
func secretive(value string) tool.Options {
	o := operator()
	o.Secrets = []tool.Secret{{Env: "TOKEN", Hosts: []string{"127.0.0.1"}}}
	return tool.Options{Operator: o, Env: func(name string) (string, bool) {
		if name != "TOKEN" {
			panic("the variable " + name + " was read")
		}
		return value, value != ""
	}}
}

func withAuth(endpoint string, auth aaif.Auth) aaif.Tool {
	entry := httpTool(endpoint)
	entry.Auth = auth
	return entry
}

func TestAuthHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		auth         aaif.Auth
		header, want string
	}{
		"bearer":             {aaif.Auth{Type: "bearer", EnvVar: "TOKEN"}, "Authorization", "Bearer name:s3cr3t-word"},
		"basic":              {aaif.Auth{Type: "basic", EnvVar: "TOKEN"}, "Authorization", "Basic bmFtZTpzM2NyM3Qtd29yZA=="},
		"api_key":            {aaif.Auth{Type: "api_key", EnvVar: "TOKEN"}, "X-Api-Key", "name:s3cr3t-word"},
		"api_key in another": {aaif.Auth{Type: "api_key", EnvVar: "TOKEN", Header: "X-Desk"}, "X-Desk", "name:s3cr3t-word"},
		"none":               {aaif.Auth{Type: "none", EnvVar: "TOKEN"}, "Authorization", ""},
	} {
		t.Run("AAIF-4.4-15 "+name, func(t *testing.T) {
			fake, at := served(t)
			fake.SetFault("note", faketool.Fault{Kind: faketool.EchoHeaders})
			set := open(t, secretive("name:s3cr3t-word"), withAuth(at+"/call/note", c.auth))
			r, err := call(t, set, "note", `{}`)
			if err != nil {
				t.Fatal(err)
			}
			if got := fake.Requests("note")[0].Header.Get(c.header); got != c.want {
				t.Errorf("got %q", got)
			}
			if strings.Contains(r.Text+string(r.Value.Append(nil)), "s3cr3t-word") || strings.Contains(r.Text, "bmFtZTpzM2NyM3Qtd29yZA") {
				t.Errorf("the model is told %s", r.Text)
			}
		})
		t.Run("AAIF-4.4-15 "+name+" with an MCP server", func(t *testing.T) {
			fake, at := served(t)
			entry := mcpTool(at + "/mcp")
			entry.Auth = c.auth
			set := open(t, secretive("name:s3cr3t-word"), entry)
			if _, err := call(t, set, "desk__write", `{}`); err != nil {
				t.Fatal(err)
			}
			for _, r := range fake.Requests("mcp") {
				if got := r.Header.Get(c.header); got != c.want {
					t.Errorf("got %q in %s", got, r.Body)
				}
			}
		})
	}
	t.Run("AAIF-4.4-15 no escape hides the secret", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.AnswerAlways, Answer: `{"key":"\u0073\u0033cr3t-word"}`})
		r, err := call(t, open(t, secretive("s3cr3t-word"), withAuth(at+"/call/note", aaif.Auth{Type: "bearer", EnvVar: "TOKEN"})), "note", `{}`)
		if err != nil || strings.Contains(r.Text, "u0073") || strings.Contains(string(r.Value.Append(nil)), "s3cr3t-word") || len(r.Warnings) == 0 {
			t.Errorf("the model is told %s, %v", r.Text, err)
		}
	})
	t.Run("AAIF-4.4-15 no error holds the secret", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.FailAfter})
		set := open(t, secretive("broke after the write"), withAuth(at+"/call/note", aaif.Auth{Type: "bearer", EnvVar: "TOKEN"}))
		_, err := call(t, set, "note", `{}`)
		wantError(t, err, tool.OutcomeUnknown, tool.Unknown)
		if strings.Contains(err.Error()+failure(t, err).ForModel(), "after the write") {
			t.Errorf("got %v", err)
		}
	})
}

func TestSecrets(t *testing.T) {
	fake, at := served(t)
	bearer := aaif.Auth{Type: "bearer", EnvVar: "TOKEN"}
	t.Run("AAIF-4.4-20 a variable that is not set", func(t *testing.T) {
		set := open(t, secretive(""), withAuth(at+"/call/note", bearer))
		if o := only(t, set); o.Missing != nil || len(o.Warnings) != 1 || !strings.HasPrefix(o.Warnings[0], string(secretUnresolved)) {
			t.Errorf("got %v, %v", o.Missing, o.Warnings)
		}
		_, err := call(t, set, "note", `{}`)
		wantError(t, err, secretUnresolved, tool.NotSent)
	})
	for name, secrets := range map[string][]tool.Secret{
		"none":                nil,
		"another":             {{Env: "OTHER", Hosts: []string{"*"}}},
		"for another host":    {{Env: "TOKEN", Hosts: []string{"desk.example"}}},
		"in a vault":          {{Provider: "custom", Path: "TOKEN", Hosts: []string{"*"}}},
		"with other spelling": {{Env: "token", Hosts: []string{"*"}}},
	} {
		t.Run("AAIF-4.4-21 the operator lists "+name, func(t *testing.T) {
			o := operator()
			o.Secrets = secrets
			set := open(t, tool.Options{Operator: o, Env: func(name string) (string, bool) {
				t.Errorf("the variable %s was read", name)
				return "x", true
			}}, withAuth(at+"/call/note", bearer))
			wantMissing(t, set, envDenied)
			_, err := call(t, set, "note", `{}`)
			wantError(t, err, envDenied, tool.NotSent)
			entry := `secrets in tools.json may have {"env":"TOKEN","hosts":["127.0.0.1"]}`
			if name == "for another host" {
				entry = "secrets in tools.json may list it among the hosts of that entry"
			}
			if !strings.Contains(err.Error(), entry) {
				t.Errorf("it does not say what would allow it: %v", err)
			}
		})
	}
	if n := fake.Counts()["note"].Calls; n != 0 {
		t.Errorf("%d calls without a secret", n)
	}
	vaulted := func(ref aaif.VaultRef) (tool.Options, aaif.Auth) {
		o := secretive("of the environment")
		o.Operator.Secrets = append(o.Operator.Secrets, tool.Secret{Provider: "custom", Path: "desk/*", Hosts: []string{"127.0.0.1"}})
		o.Vault = func(_ context.Context, ref aaif.VaultRef) (string, error) {
			switch ref.Path + " " + ref.Version {
			case "desk/map ":
				return `{"user":"u","password":"by key"}`, nil
			case "desk/old ":
				return "version 2", nil
			case "desk/old 1":
				return "version 1", nil
			}
			return "", errors.New("no such secret")
		}
		return o, aaif.Auth{Type: "bearer", EnvVar: "TOKEN", Vault: ref}
	}
	for name, c := range map[string]struct {
		ref  aaif.VaultRef
		want string
		code aaif.Code
	}{
		"AAIF-4.4-22 a key of a map":                {aaif.VaultRef{Provider: "custom", Path: "desk/map", Key: "password"}, "by key", ""},
		"AAIF-4.4-22 a key that is not there":       {aaif.VaultRef{Provider: "custom", Path: "desk/map", Key: "other"}, "", secretUnresolved},
		"AAIF-4.4-23 the vault before the variable": {aaif.VaultRef{Provider: "custom", Path: "desk/old"}, "version 2", ""},
		"AAIF-4.4-23 nothing stands in for a vault": {aaif.VaultRef{Provider: "custom", Path: "desk/none"}, "", secretUnresolved},
		"AAIF-4.4-24 a version":                     {aaif.VaultRef{Provider: "custom", Path: "desk/old", Version: "1"}, "version 1", ""},
		"AAIF-4.4-21 a place that is not listed":    {aaif.VaultRef{Provider: "custom", Path: "other/map"}, "", secretUnresolved},
		"AAIF-4.4-21 a place above a listed one":    {aaif.VaultRef{Provider: "custom", Path: "desk/../other"}, "", secretUnresolved},
		"AAIF-4.4-21 a provider that is not there":  {aaif.VaultRef{Provider: "hashicorp_vault", Path: "desk/map"}, "", secretUnresolved},
	} {
		t.Run(name, func(t *testing.T) {
			o, auth := vaulted(c.ref)
			before := len(fake.Requests("note"))
			_, err := call(t, open(t, o, withAuth(at+"/call/note", auth)), "note", `{}`)
			requests := fake.Requests("note")
			if c.code != "" {
				wantError(t, err, c.code, tool.NotSent)
				if len(requests) != before {
					t.Error("the tool was called")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := requests[len(requests)-1].Header.Get("Authorization"); got != "Bearer "+c.want {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("AAIF-4.4-22 commands of the operator read secrets", func(t *testing.T) {
		script := t.TempDir() + "/vault"
		// It answers with its arguments and what it reads.
		if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf '%s|' \"$@\"; exec /bin/cat\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		for provider, c := range map[string]struct {
			ref  aaif.VaultRef
			want string
		}{
			"custom":    {aaif.VaultRef{Provider: "custom", Path: "a/b", Version: "3"}, `get|{"path":"a/b","version":"3"}`},
			"1password": {aaif.VaultRef{Provider: "1password", Path: "desk/login", Key: "password"}, "get|read|--no-newline|op://desk/login/password|"},
		} {
			o := operator()
			o.Secrets = []tool.Secret{{Provider: provider, Path: "*", Hosts: []string{"*"}}}
			o.Vaults = []tool.Vault{{Provider: provider, Program: tool.Program{Command: []string{script, "get"}}}}
			set := open(t, tool.Options{Operator: o}, withAuth(at+"/call/"+provider, aaif.Auth{Type: "bearer", Vault: c.ref}))
			if _, err := call(t, set, "note", `{}`); err != nil {
				t.Fatal(err)
			}
			if got := fake.Requests(provider)[0].Header.Get("Authorization"); got != "Bearer "+c.want {
				t.Errorf("got %q", got)
			}
			o.Vaults[0].Command = []string{"/bin/false"}
			_, err := call(t, open(t, tool.Options{Operator: o}, withAuth(at+"/call/"+provider, aaif.Auth{Type: "bearer", Vault: c.ref})), "note", `{}`)
			wantError(t, err, secretUnresolved, tool.NotSent)
		}
	})
}

func TestOAuth(t *testing.T) {
	fake, at := served(t)
	var asked atomic.Int64
	var said atomic.Value
	expires := "3600"
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		said.Store(r.Header.Get("Authorization") + " " + string(body))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":"token-%d-of-desk","token_type":"Bearer","expires_in":%s}`, asked.Load(), expires)
	}))
	defer tokens.Close()
	auth := aaif.Auth{Type: "oauth2", EnvVar: "TOKEN", TokenURL: tokens.URL, Scopes: []string{"read", "write"}}
	o := secretive("id:word-of-client")
	o.Shared = &tool.Shared{}
	now := time.Now()
	o.Now = func() time.Time { return now }
	set := open(t, o, withAuth(at+"/call/note", auth))
	last := func() string {
		all := fake.Requests("note")
		return all[len(all)-1].Header.Get("Authorization")
	}
	t.Run("AAIF-4.4-16 two calls, one token", func(t *testing.T) {
		for range 2 {
			if _, err := call(t, set, "note", `{}`); err != nil {
				t.Fatal(err)
			}
		}
		if asked.Load() != 1 || last() != "Bearer token-1-of-desk" || said.Load() != "Basic aWQ6d29yZC1vZi1jbGllbnQ= grant_type=client_credentials&scope=read+write" {
			t.Errorf("asked %d times with %v, and sent %s", asked.Load(), said.Load(), last())
		}
	})
	t.Run("AAIF-4.4-16 another token after the end of the first", func(t *testing.T) {
		now = now.Add(time.Hour)
		if _, err := call(t, set, "note", `{}`); err != nil || last() != "Bearer token-2-of-desk" {
			t.Errorf("got %v, %s", err, last())
		}
	})
	t.Run("AAIF-4.4-16 another token for another person", func(t *testing.T) {
		other := o
		other.Person = "p2"
		if _, err := call(t, open(t, other, withAuth(at+"/call/note", auth)), "note", `{}`); err != nil || last() != "Bearer token-3-of-desk" {
			t.Errorf("got %v, %s", err, last())
		}
	})
	t.Run("AAIF-4.4-16 there is no token", func(t *testing.T) {
		before := fake.Counts()["note"].Calls
		expires = `"x`
		now = now.Add(time.Hour)
		_, err := call(t, set, "note", `{}`)
		wantError(t, err, secretUnresolved, tool.NotSent)
		if fake.Counts()["note"].Calls != before || strings.Contains(err.Error(), "word-of-client") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-4.4-16 no address of tokens", func(t *testing.T) {
		_, err := call(t, open(t, o, withAuth(at+"/call/note", aaif.Auth{Type: "oauth2", EnvVar: "TOKEN"})), "note", `{}`)
		wantError(t, err, secretUnresolved, tool.NotSent)
	})
	t.Run("AAIF-12-1 an address of tokens that may not be contacted", func(t *testing.T) {
		_, err := call(t, open(t, o, withAuth(at+"/call/note", aaif.Auth{Type: "oauth2", EnvVar: "TOKEN", TokenURL: "http://169.254.169.254/token"})), "note", `{}`)
		wantError(t, err, egressDenied, tool.NotSent)
	})
}

// pair makes a certificate, signed by itself.
func pair(t testing.TB) (certificate *x509.Certificate, both string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sample := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "clerk"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true, IsCA: true}
	raw, err := x509.CreateCertificate(rand.Reader, sample, sample, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err = x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})) + string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestMutualTLS(t *testing.T) {
	fake := faketool.New()
	defer fake.Close()
	server := httptest.NewUnstartedServer(fake)
	server.Config.ErrorLog = nil
	known, both := pair(t)
	pool := x509.NewCertPool()
	pool.AddCert(known)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	file := t.TempDir() + "/pair.pem"
	if err := os.WriteFile(file, []byte(both), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stranger := pair(t)
	for name, c := range map[string]struct {
		value string
		auth  string
		works bool
	}{
		"in the variable":        {both, "mtls", true},
		"in a file":              {file, "mtls", true},
		"of a stranger":          {stranger, "mtls", false},
		"and there is none":      {both, "none", false},
		"that is none":           {"not a certificate", "mtls", false},
		"as a word of a bearer ": {both[:20], "bearer", false},
	} {
		t.Run("AAIF-4.4-18 a certificate "+name, func(t *testing.T) {
			o := secretive(c.value)
			o.Roots = roots
			_, err := call(t, open(t, o, withAuth(server.URL+"/call/note", aaif.Auth{Type: c.auth, EnvVar: "TOKEN"})), "note", `{}`)
			if (err == nil) != c.works {
				t.Errorf("got %v", err)
			}
		})
	}
	if n := fake.Counts()["note"].Calls; n != 2 {
		t.Errorf("%d calls", n)
	}
}
