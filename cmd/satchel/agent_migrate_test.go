//go:build unix

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// party is somebody with a store.
type party struct {
	t             *testing.T
	app           *cli.App
	out, messages *clitest.Buffer
	producer      string // the name under which the key that signs is known
}

func newParty(t *testing.T, ctx context.Context) *party {
	t.Helper()
	a, out, messages := clitest.Person(t, ctx)
	p := &party{t: t, app: a, out: out, messages: messages}
	p.does(cli.ExitDone, "init", "-q")
	p.does(cli.ExitDone, "keys", "show", "--json")
	p.producer = p.told(`"producer": "([^"]*)"`)
	return p
}

// does runs a command, which ends with a status, and returns what it says.
func (p *party) does(want int, args ...string) string {
	p.t.Helper()
	before := len(p.messages.String())
	if got := run(p.app, args); got != want {
		p.t.Fatalf("satchel %v ends with %d, want %d: %s", args, got, want, p.messages.String()[before:])
	}
	return p.messages.String()[before:]
}

// told finds something on standard output.
func (p *party) told(pattern string) string {
	p.t.Helper()
	found := regexp.MustCompile(pattern).FindAllStringSubmatch(p.out.String(), -1)
	if len(found) == 0 {
		p.t.Fatalf("%s is not in %s", pattern, p.out)
	}
	return found[len(found)-1][1]
}

// atHome is a party whose server speaks TLS, and what others need to reach it.
func atHome(t *testing.T) (there *party, base, ca string, client *http.Client) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	there = newParty(t, ctx)
	ca = filepath.Join(t.TempDir(), "cert.pem")
	keyFile := filepath.Join(t.TempDir(), "key.pem")
	cert, key := clitest.Certificate(t, 1)
	clitest.Put(t, ca, cert, time.Now())
	clitest.Put(t, keyFile, key, time.Now())
	server := *there.app // of its own, beside the commands of the same owner
	messages := new(clitest.Buffer)
	server.Out, server.Err = new(clitest.Buffer), messages
	ended := make(chan int)
	go func() {
		ended <- run(&server, []string{"serve", "--addr", "127.0.0.1:0", "--tls-cert", ca, "--tls-key", keyFile})
	}()
	t.Cleanup(func() { stop(); <-ended })
	there.app.Ctx = t.Context()
	base = strings.Replace(waitFor(t, messages, regexp.MustCompile(`serving (https://[^/]+)/ump`)), "127.0.0.1", "localhost", 1)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(cert)
	client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true}}
	t.Cleanup(client.CloseIdleConnections)
	return there, base, ca, client
}

func TestAgentMigrate(t *testing.T) {
	t.Parallel()
	there, base, ca, client := atHome(t)
	here := newParty(t, t.Context())
	dir := t.TempDir()
	clerk, state, moved, key := filepath.Join(dir, "clerk.json"), filepath.Join(dir, "run.json"), filepath.Join(dir, "moved.json"), filepath.Join(dir, "ours.key")
	clitest.Put(t, clerk, aaiftest.Definition(aaiftest.AgentID, ""), time.Now())
	clitest.Put(t, state, aaiftest.Checkpoint().Append(nil), time.Now())
	here.does(cli.ExitDone, "agent", "add", clerk)
	here.does(cli.ExitDone, "keys", "show", "-o", key)
	states := func(want int) {
		t.Helper()
		there.does(cli.ExitDone, "agent", "states", "--json")
		all := there.out.String()
		if got := strings.Count(all[strings.LastIndex(all, "\n["):], `"state_id"`); got != want {
			t.Errorf("%d checkpoints are there, want %d", got, want)
		}
	}
	refused := func(code string, args ...string) {
		t.Helper()
		if said := here.does(cli.ExitRefused, append([]string{"agent", "migrate", state, "--to", base, "--ca", ca}, args...)...); !strings.Contains(said, code) {
			t.Errorf("%s, want %s", said, code)
		}
		states(0)
	}
	refused("TOKEN_INVALID")
	refused("TOKEN_INVALID", "--stream")
	there.does(cli.ExitDone, "trust", "add", here.producer, key)
	refused("AGENT_UNKNOWN")
	there.does(cli.ExitDone, "agent", "add", clerk)
	refused("TOKEN_AUDIENCE", "--audience", "elsewhere")
	here.app.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	refused("TOKEN_EXPIRED")
	refused("TOKEN_EXPIRED", "--stream")
	here.app.Now = func() time.Time { return time.Now().Add(time.Hour) }
	t.Run("AAIF-12-12 of a token of a key that is trusted nobody is told to trust the key", func(t *testing.T) {
		early := filepath.Join(dir, "early.json")
		here.does(cli.ExitDone, "agent", "migrate", state, "-o", early, "--plain", "--audience", there.producer)
		for _, said := range []string{
			here.does(cli.ExitRefused, "agent", "migrate", state, "--to", base, "--ca", ca),
			there.does(cli.ExitRefused, "agent", "state", "add", early),
		} {
			if !strings.Contains(said, "TOKEN_INVALID") || !strings.Contains(said, "clocks") || strings.Contains(said, "trust") {
				t.Error(said)
			}
		}
	})
	here.app.Now = time.Now
	t.Run("AAIF-12-11 AAIF-8.3-5 nothing goes in the clear, and nobody is connected to", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		touched := make(chan struct{}, 8)
		go func() {
			for {
				if _, err := l.Accept(); err != nil {
					return
				}
				touched <- struct{}{}
			}
		}()
		for _, args := range [][]string{{}, {"--stream"}, {"--audience", there.producer}} {
			if said := here.does(cli.ExitRefused, append([]string{"agent", "migrate", state, "--to", "http://" + l.Addr().String()}, args...)...); !strings.Contains(said, "TLS_REQUIRED") {
				t.Error(said)
			}
		}
		if len(touched) > 0 {
			t.Error("somebody was connected to")
		}
	})
	t.Run("AAIF-8.2-3 AAIF-8.3-9 whole and as a stream", func(t *testing.T) {
		here.does(cli.ExitDone, "agent", "migrate", state, "--to", base, "--ca", ca)
		states(1)
		here.does(cli.ExitDone, "agent", "migrate", state, "--to", base+"/aaif/handoff", "--stream", "--ca", ca, "--again")
		states(1) // it has only come again
	})
	t.Run("AAIF-8.2-8 AAIF-12-15 a token is good once, and for this content", func(t *testing.T) {
		here.does(cli.ExitDone, "agent", "migrate", state, "-o", moved, "--plain", "--again", "--audience", there.producer)
		raw, err := os.ReadFile(moved)
		if err != nil {
			t.Fatal(err)
		}
		d, err := aaif.Read(raw, aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		push := func(v aaif.Document) error {
			_, err := (aaifhttp.Client{HTTP: client}).PushState(t.Context(), base+"/aaif/states", v.Value)
			return err
		}
		changed := d
		changed.Value = aaif.WithChecksum(d.Value.Without("iteration"))
		for _, step := range []struct {
			v    aaif.Document
			code aaif.Code
		}{{changed, aaif.TokenBinding}, {d, ""}, {d, aaif.TokenReplayed}} {
			if err := push(step.v); aaif.CodeOf(err) != step.code {
				t.Errorf("%v, want %q", err, step.code)
			}
		}
		if said := there.does(cli.ExitRefused, "agent", "state", "add", moved); !strings.Contains(said, "TOKEN_REPLAYED") {
			t.Error(said)
		}
		states(1)
	})
	t.Run("AAIF-12-10 what is to be encrypted leaves over TLS, and into no file", func(t *testing.T) {
		const id, run = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a05", "d7e8f9a0-1234-4000-8000-00000000000e"
		clitest.Put(t, clerk, []byte(`{"sc_standard":"SC-006","agent_id":"`+id+`","agent":{"name":"Sealed","goal":"G","compliance":{"pii_handling":"encrypt"}}}`), time.Now())
		clitest.Put(t, state, aaiftest.Checkpoint().With("agent_id", canon.String(id)).With("state_id", canon.String(run)).Append(nil), time.Now())
		here.does(cli.ExitDone, "agent", "add", clerk, "--keep")
		there.does(cli.ExitDone, "agent", "add", clerk, "--keep")
		if said := here.does(cli.ExitRefused, "agent", "migrate", state, "-o", moved, "--plain", "--audience", there.producer); !strings.Contains(said, "PII_REJECTED") {
			t.Error(said)
		}
		here.does(cli.ExitDone, "agent", "migrate", state, "--to", base, "--ca", ca)
		states(2)
		if said := there.does(cli.ExitRefused, "agent", "state", "get", run); !strings.Contains(said, "--clear") {
			t.Error(said)
		}
		there.does(cli.ExitDone, "agent", "state", "get", run, "--clear")
	})
	t.Run("AAIF-8.2-1 what has left does not leave again unasked", func(t *testing.T) {
		const run = "d7e8f9a0-1234-4000-8000-0000000000ee"
		clitest.Put(t, clerk, aaiftest.Definition(aaiftest.AgentID, ""), time.Now())
		clitest.Put(t, state, aaiftest.Checkpoint().With("state_id", canon.String(run)).Append(nil), time.Now())
		here.does(cli.ExitDone, "agent", "migrate", state, "-o", moved, "--plain", "--force", "--audience", here.producer)
		here.does(cli.ExitDone, "agent", "state", "add", moved) // its own name and key
		listed := func(want string) {
			t.Helper()
			at := len(here.out.String())
			here.does(cli.ExitDone, "agent", "states")
			if got := here.out.String()[at:]; !strings.Contains(got, want) {
				t.Errorf("%q is not in %s", want, got)
			}
		}
		listed("  awaiting_approval  2")
		on := filepath.Join(dir, "on.json")
		here.does(cli.ExitDone, "agent", "migrate", run, "-o", on, "--plain", "--audience", "elsewhere")
		listed("awaiting_approval, token issued for elsewhere at ")
		if said := here.does(cli.ExitDone, "agent", "migrate", run, "--to", base, "--ca", ca); !strings.Contains(said, "a migration token was issued for it at") || !strings.Contains(said, "for elsewhere") {
			t.Error(said)
		}
		listed("awaiting_approval, left for " + there.producer + " at ")
		here.does(cli.ExitDone, "agent", "states", "--json")
		here.told(`"left": \{\s*"for": "` + there.producer + `",\s*"to": "(https://)`)
		for _, args := range [][]string{{run, "--to", base, "--ca", ca}, {run, "-o", on, "--plain", "--force", "--audience", "elsewhere"}, {state, "-o", on, "--plain", "--force", "--audience", "elsewhere"}} {
			if said := here.does(cli.ExitRefused, append([]string{"agent", "migrate"}, args...)...); !strings.Contains(said, "STATE_LEFT") || !strings.Contains(said, there.producer) {
				t.Error(said)
			}
		}
		here.does(cli.ExitRefused, "agent", "migrate", run, "--to", base, "--ca", ca, "--again", "--audience", "elsewhere")
		listed("awaiting_approval, left for " + there.producer + " at ")
		here.does(cli.ExitDone, "agent", "migrate", run, "--to", base, "--ca", ca, "--again")
		here.does(cli.ExitDone, "agent", "migrate", state, "-o", moved, "--plain", "--force", "--again", "--audience", here.producer)
		here.does(cli.ExitDone, "agent", "state", "add", moved) // back again
		listed("  awaiting_approval  2")
	})
	t.Run("AAIF-8.2-1 one that is refused has not left", func(t *testing.T) {
		const run = "d7e8f9a0-1234-4000-8000-0000000000ef"
		clitest.Put(t, state, aaiftest.Checkpoint().With("state_id", canon.String(run)).Append(nil), time.Now())
		here.does(cli.ExitDone, "agent", "migrate", state, "-o", moved, "--plain", "--force", "--audience", here.producer)
		here.does(cli.ExitDone, "agent", "state", "add", moved)
		here.does(cli.ExitRefused, "agent", "migrate", run, "--to", base, "--ca", ca, "--audience", "elsewhere")
		at := len(here.out.String())
		here.does(cli.ExitDone, "agent", "states")
		if got := here.out.String()[at:]; strings.Contains(got, "elsewhere at") {
			t.Error(got)
		}
	})
	t.Run("AAIF-8.2-1 a file that has left does not leave again unasked", func(t *testing.T) {
		const run = "d7e8f9a0-1234-4000-8000-0000000000dd"
		file, on := filepath.Join(dir, "file.json"), filepath.Join(dir, "on-its-way.json")
		clitest.Put(t, file, aaiftest.Checkpoint().With("state_id", canon.String(run)).Append(nil), time.Now())
		here.does(cli.ExitRefused, "agent", "migrate", file, "--to", base, "--ca", ca, "--audience", "elsewhere")
		here.does(cli.ExitDone, "agent", "migrate", file, "--to", base, "--ca", ca) // one that was refused has not left
		for _, args := range [][]string{{"--to", base, "--ca", ca}, {"--to", base, "--ca", ca, "--stream"}, {"-o", on, "--plain", "--audience", "elsewhere"}} {
			said := here.does(cli.ExitRefused, append([]string{"agent", "migrate", file}, args...)...)
			if !strings.Contains(said, "STATE_LEFT") || !strings.Contains(said, "it left for "+there.producer) || !strings.Contains(said, "--again") {
				t.Error(said)
			}
		}
		if cli.Exists(on) {
			t.Error("it is written")
		}
		here.does(cli.ExitRefused, "agent", "migrate", file, "--to", base, "--ca", ca, "--again", "--audience", "elsewhere")
		here.does(cli.ExitRefused, "agent", "migrate", file, "--to", base, "--ca", ca) // it is still where it was
		if said := here.does(cli.ExitDone, "agent", "migrate", file, "--to", base, "--ca", ca, "--again"); !strings.Contains(said, there.producer+" has it since") {
			t.Error(said)
		}
	})
	t.Run("AAIF-8.2-1 of a file that was written for a platform the next one is warned", func(t *testing.T) {
		file, on := filepath.Join(dir, "other.json"), filepath.Join(dir, "written.json")
		clitest.Put(t, file, aaiftest.Checkpoint().With("state_id", canon.String("d7e8f9a0-1234-4000-8000-0000000000de")).Append(nil), time.Now())
		here.does(cli.ExitDone, "agent", "migrate", file, "-o", on, "--plain", "--audience", "elsewhere")
		if said := here.does(cli.ExitDone, "agent", "migrate", file, "--to", base, "--ca", ca); !strings.Contains(said, "a migration token was issued for it at") || !strings.Contains(said, "for elsewhere") {
			t.Error(said)
		}
	})
	t.Run("AAIF-8.2-8 one's own server is asked for by name", func(t *testing.T) {
		const run = "d7e8f9a0-1234-4000-8000-0000000000f0"
		clitest.Put(t, state, aaiftest.Checkpoint().With("state_id", canon.String(run)).Append(nil), time.Now())
		if said := there.does(cli.ExitRefused, "agent", "migrate", state, "--to", base, "--ca", ca); !strings.Contains(said, "--audience "+there.producer) {
			t.Error(said)
		}
		there.does(cli.ExitDone, "agent", "migrate", state, "--to", base, "--ca", ca, "--audience", there.producer)
		at := len(there.out.String())
		there.does(cli.ExitDone, "agent", "states", "--json")
		if got := there.out.String()[at:]; !strings.Contains(got, run) || strings.Contains(got, `"left"`) {
			t.Error(got)
		}
	})
	t.Run("AAIF-7-17 a platform is asked what it has", func(t *testing.T) {
		clitest.Put(t, clerk, aaiftest.Definition(aaiftest.AgentID, ""), time.Now())
		here.does(cli.ExitDone, "agent", "negotiate", clerk, "--manifest-url", base, "--ca", ca)
		here.does(cli.ExitRefused, "agent", "negotiate", clerk, "--manifest-url", base)
	})
}
