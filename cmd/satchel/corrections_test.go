//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// stated is somebody with a server, a token for an assistant, and a belief.
func stated(t *testing.T) (p *tried, base, token, belief string) {
	t.Helper()
	p, base, _ = serving(t)
	token = p.mint(t, "--runtime", "Notes of Acme", "--scope", "professional")
	return p, base, token, strings.TrimSpace(p.must(t, "belief", "add", "email_style", "short, direct", "--category", "communication"))
}

// proposes submits a correction as an assistant does.
func proposes(t *testing.T, base, token, belief, value string) {
	t.Helper()
	submit(t, base+"/v1/context/correct", token,
		fmt.Sprintf(`{"belief_id":%q,"new_value":%q,"context":"said so in a letter","runtime_id":"urn:rt:acme-notes","timestamp":"2026-05-01T10:00:00Z"}`, belief, value))
}

// submit sends JSON that is taken.
func submit(t *testing.T, at, token, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	if got.StatusCode/100 != 2 {
		t.Fatalf("status %d", got.StatusCode)
	}
}

func TestCorrectionsOfAssistants(t *testing.T) {
	t.Parallel()
	p, base, token, belief := stated(t)
	proposes(t, base, token, belief, "long and warm")
	id := ""
	t.Run("ENGRAM-3.9-CORR-9 the owner sees who proposes what, and why", func(t *testing.T) {
		out := p.must(t, "corrections")
		for _, want := range []string{"urn:rt:acme-notes", "was       short, direct", "becomes   long and warm", "because   said so in a letter", "waits for you"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in\n%s", want, out)
			}
		}
		id = regexp.MustCompile(`^[0-9a-f]{8}`).FindString(out)
	})
	t.Run("ENGRAM-3.9-CORR-19 it holds nowhere before that", func(t *testing.T) {
		for _, args := range [][]string{{"list"}, {"recall", "email style"}, {"context"}, {"export"}, {"brief"}} {
			if out := p.must(t, args...); strings.Contains(out, "long and warm") {
				t.Errorf("%v: %s", args, out)
			}
		}
		if out := p.must(t, "belief", "list"); !strings.Contains(out, "urn:rt:acme-notes proposes") {
			t.Error(out)
		}
	})
	t.Run("ENGRAM-3.9-CORR-12 ENGRAM-3.6-8 what the owner confirmed holds, by approval", func(t *testing.T) {
		if out := p.must(t, "corrections", "confirm", id, "--note", "true"); !strings.Contains(out, "email_style is long and warm") {
			t.Error(out)
		}
		for _, args := range [][]string{{"recall", "email style"}, {"context"}, {"export"}} {
			if out := p.must(t, args...); !strings.Contains(out, "long and warm") {
				t.Errorf("%v: %s", args, out)
			}
		}
		out := p.must(t, "corrections", "list", "--all", "--json")
		for _, want := range []string{`"runtime_id": "urn:rt:acme-notes"`, `"method": "approved"`, `"status": "confirmed"`} {
			if !strings.Contains(out, want) {
				t.Errorf("%s is not in\n%s", want, out)
			}
		}
	})
	t.Run("ENGRAM-3.9-CORR-13 ENGRAM-3.9-CORR-14 what the owner rejected does not, and stays rejected", func(t *testing.T) {
		proposes(t, base, token, belief, "in verse")
		id := regexp.MustCompile(`^[0-9a-f]{8}`).FindString(p.must(t, "corrections"))
		if out := p.must(t, "corrections", "reject", id, "--note", "no"); !strings.Contains(out, "email_style is long and warm") {
			t.Error(out)
		}
		if code, _, said := p.run("corrections", "confirm", id); code != cli.ExitRefused || !strings.Contains(said, "already resolved") {
			t.Errorf("it ends with %d: %s", code, said)
		}
		if out := p.must(t, "context"); strings.Contains(out, "in verse") {
			t.Error(out)
		}
	})
}

func TestConstraintsOfAssistants(t *testing.T) {
	t.Parallel()
	p, base, _ := serving(t, "--engram-edition", "0.1.2")
	token := p.mint(t, "--runtime", "notes", "--scope", "minimal")
	for _, rule := range []string{"Never use kumquats", "Always flatter"} {
		submit(t, base+"/v1/context/constrain", token, fmt.Sprintf(`{"rule":%q,"category":"content","set_by":"user_stated"}`, rule))
	}
	listed := p.must(t, "constraint")
	id := func(rule string) string {
		t.Helper()
		found := regexp.MustCompile(`(?m)^([0-9a-f]{8}) +waits +content .*` + rule).FindStringSubmatch(listed)
		if found == nil {
			t.Fatalf("%q does not wait: %s", rule, listed)
		}
		return found[1]
	}
	if out := p.must(t, "context"); strings.Contains(out, "kumquats") {
		t.Errorf("it is in force before the owner has confirmed it: %s", out)
	}
	p.must(t, "constraint", "reject", id("Always flatter"))
	p.must(t, "constraint", "confirm", id("Never use kumquats"))
	if out := p.must(t, "context"); !strings.Contains(out, "- Never use kumquats\n") || strings.Contains(out, "flatter") {
		t.Errorf("the rules are not those that were confirmed: %s", out)
	}
	if code, _, said := p.run("constraint", "confirm", id("Never use kumquats")); code != cli.ExitFailed || !strings.Contains(said, "waits for this user") {
		t.Errorf("it ends with %d: %s", code, said)
	}
}

func TestTrustInAServer(t *testing.T) {
	t.Parallel()
	p, base, token, _ := stated(t)
	_, document := fetch(t, base+"/v1/context", token)
	other := elsewhere(t)
	file := filepath.Join(t.TempDir(), "context.json")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
	wants := func(t *testing.T, status int, want string, args ...string) {
		t.Helper()
		if code, out, said := other.run(args...); code != status || !strings.Contains(out+said, want) {
			t.Errorf("%v ends with %d: %s%s", args, code, out, said)
		}
	}
	wants(t, cli.ExitRefused, "issuer not known: "+base, "verify", file)
	t.Run("ENGRAM-3.8-26 a valid signature of an issuer that nobody vouches for is said to be that, and no more", func(t *testing.T) {
		wants(t, cli.ExitRefused, "valid signature by unknown issuer", "verify", file, "--fetch")
		wants(t, cli.ExitDone, "valid signature by unknown issuer", "import", "-n", file, "--fetch")
		wants(t, cli.ExitRefused, "issuer not known", "context", file)
	})
	t.Run("ENGRAM-3.8-10 the keys are where the issuer publishes them, and are fetched when that is asked for", func(t *testing.T) {
		wants(t, cli.ExitDone, "fetched 1 key from "+base+"/.well-known/engram-keys", "trust", "add", base)
		wants(t, cli.ExitDone, "verified, by key-", "verify", file)
		wants(t, cli.ExitDone, "email_style: short, direct", "context", file)
	})
	t.Run("ENGRAM-3.8-20 a key that came later is trusted when the owner says so again", func(t *testing.T) {
		p.must(t, "keys", "rotate", "--issuer")
		_, document := fetch(t, base+"/v1/context", token)
		if err := os.WriteFile(file, document, 0o600); err != nil {
			t.Fatal(err)
		}
		wants(t, cli.ExitInvalid, "If the issuer has new keys: satchel trust add "+base, "verify", file)
		wants(t, cli.ExitDone, "fetched 2 keys", "trust", "add", base)
		wants(t, cli.ExitDone, "verified, by key-", "verify", file)
	})
	t.Run("nobody is asked but the server that was named", func(t *testing.T) {
		wants(t, cli.ExitUsage, "no address of an issuer", "trust", "add", "http://memory.example")
		wants(t, cli.ExitFailed, "publishes no key there", "trust", "add", base, base+"/nothing")
	})
}

// elsewhere is somebody else, with a store of their own.
func elsewhere(t *testing.T) *tried {
	t.Helper()
	a, out, messages := clitest.Person(t, t.Context())
	p := &tried{a: a, out: out, messages: messages}
	p.must(t, "init", "-q")
	return p
}

func TestExportsMoveBetweenStores(t *testing.T) {
	t.Parallel()
	one, two := elsewhere(t), elsewhere(t)
	dir := t.TempDir()
	first, second, list := filepath.Join(dir, "1.engram.json"), filepath.Join(dir, "2.engram.json"), filepath.Join(dir, "keys.json")
	one.must(t, "passport", "--set", "display_name=Ada", "--set", "timezone=Asia/Singapore", "--set", "domains=law,bees")
	one.must(t, "belief", "add", "email_style", "formal", "--category", "communication", "--tag", "tone", "--value-type", "string")
	one.must(t, "belief", "correct", "email_style", "short", "--note", "shorter")
	one.must(t, "belief", "add", "diet", "no nuts", "--category", "health", "--stale-after-days", "30", "--confidence", "0.8")
	one.must(t, "belief", "add", "car", "none", "--category", "custom")
	one.must(t, "belief", "delete", "car")
	one.must(t, "remember", "I prefer pnpm")
	one.must(t, "keys", "issuer", "--url", "https://one.example", "-o", list)
	one.must(t, "export", "-o", first)
	two.must(t, "import", first, "--key", list)
	two.must(t, "export", "-o", second)
	t.Run("ENGRAM-1-4 what one store exports another exports as it was", func(t *testing.T) {
		a, b := objects(t, first), objects(t, second)
		for _, name := range []string{"identity", "beliefs", "evolution", "corrections"} {
			if !bytes.Equal(a[name], b[name]) {
				t.Errorf("%s was\n%s\nis\n%s", name, a[name], b[name])
			}
		}
	})
	t.Run("ENGRAM-3.5-11 ENGRAM-4-4 an export as of a time before a change has the value of then", func(t *testing.T) {
		at := two.a.Now().UTC().Format("2006-01-02T15:04:05.999999999Z07:00")
		two.must(t, "belief", "correct", "email_style", "terse")
		if out := two.must(t, "export", "--to", "engram", "--as-of", at); strings.Contains(out, "terse") || !strings.Contains(out, `"value":"short"`) {
			t.Error(out)
		}
	})
	t.Run("ENGRAM-1-5 nobody's name is in it but the issuer's", func(t *testing.T) {
		raw, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		d, _, err := engram.Parse(raw, engram.ReadOptions{})
		if err != nil || d.Issuer.URL != "https://one.example" {
			t.Errorf("%v: %+v", err, d.Issuer)
		}
	})
}

// objects are the four core objects of an export, canonically.
func objects(t *testing.T, path string) map[string][]byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for name, member := range members {
		v, err := canon.Parse(member, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out[name] = v.AppendCanonical(nil)
	}
	return out
}
