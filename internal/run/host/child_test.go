package host_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// serverRole is the argument by which a child of the test's program knows that it is a
// server that executes runs.
const serverRole = "host-server"

// orders say what a server does until it is killed.
type orders struct {
	Name      string // the key that it shows to models and tools
	Path, URL string // its store: a file, or a database
	World     string // the address of the models and tools
	Lines     string // the file in which its functions write
	Lease     time.Duration
	Continues bool // it goes on with every run itself, instead of by Drive
	Tells     bool // it tells the world of every event, and waits for its answer
	Limit     int  // how many runs it executes at once
}

// secret lets a tool use a secret of its own, which is the name of the server.
func secret(tools string) tool.Secret {
	return tool.Secret{Env: "WHO_" + tools, Hosts: []string{"127.0.0.1"}}
}

// aboutToSend is no event of a run: a server looks up the secret for a call, after it has
// written down that it makes the call.
const aboutToSend run.Kind = "about_to_send"

// keyOf is the key of a server for every model.
type keyOf string

func (k keyOf) Key(string) (string, error) { return string(k), nil }

// settings returns what the owner has set up, as the server of a name uses it.
func (o orders) settings() host.Settings {
	s := host.Settings{
		Models: route.Operator{Providers: []route.Provider{{Name: "openai", BaseURL: o.World + "/model/v1", Regions: []string{"EU"}}}},
		Keys:   keyOf(o.Name),
		Env: func(name string) (string, bool) {
			if o.Tells {
				o.tell("", run.Event{Kind: aboutToSend, Call: name})
			}
			return o.Name, true
		},
		Tools: tool.Operator{
			Egress: []string{"127.0.0.1"}, Secrets: []tool.Secret{secret("look"), secret("book"), secret("pay")},
			Functions: []tool.Function{{Name: "file", Program: tool.Program{Command: faketool.Command(faketool.Function, o.Lines)}}},
			Grants:    []tool.Grant{{Agent: "*", Tools: []string{"*"}}},
			Bindings:  []tool.Binding{{Agent: "*", Tool: "look", Method: "GET"}, {Agent: "*", Tool: "book", Idempotent: true}},
		},
	}
	return s
}

// alive serves a house by the clock of the machine.
func alive(h *vaulttest.House) *vaulttest.House {
	h.Serve(vault.Options{
		Store: h.Store, Now: time.Now, Release: "test", Bindings: []string{"file"}, Key: h.Holds,
		Signed: true, Tokens: true, Owner: h.Key.DID(), Via: "cli", Producer: vaulttest.Here,
	})
	return h
}

// hostOf returns a host over a house, and what keeps its agents.
func (o orders) hostOf(h *vaulttest.House) (*host.Host, *agents.Service, error) {
	s := o.settings()
	kept, err := agents.New(agents.Options{Vault: h.Vault, Now: time.Now, Random: rand.Reader, Platform: "a.example", Running: s.Offer()})
	if err != nil {
		return nil, nil, err
	}
	options := host.Options{
		Vault: h.Vault, Agents: kept, Settings: s, Now: time.Now, Platform: "a.example", Release: "1.0.0", Lease: o.Lease,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if o.Tells {
		options.OnEvent = o.tell
	}
	return host.New(options), kept, nil
}

// tell tells the world of an event, and waits until it answers.
func (o orders) tell(id string, e run.Event) {
	q := url.Values{"who": {o.Name}, "run": {id}, "kind": {string(e.Kind)}, "call": {e.Call}}
	if r, err := http.Get(o.World + "/event?" + q.Encode()); err == nil {
		_ = r.Body.Close() // it is empty
	}
}

// lone stands for a test where there is none: in a server.
type lone struct{ testing.TB }

func (lone) Helper()                      {}
func (lone) Cleanup(func())               {}
func (lone) Fatal(args ...any)            { fmt.Fprintln(os.Stderr, args...); os.Exit(3) }
func (lone) Fatalf(form string, a ...any) { lone{}.Fatal(fmt.Sprintf(form, a...)) }
func (lone) Errorf(form string, a ...any) { fmt.Fprintf(os.Stderr, form+"\n", a...) }
func (lone) Context() context.Context     { return context.Background() }

// server plays a server and never returns, if the program was started as one.
func server() {
	if len(os.Args) < 3 || os.Args[1] != serverRole {
		return
	}
	var o orders
	if err := json.Unmarshal([]byte(os.Args[2]), &o); err != nil {
		os.Exit(2)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it ends when the test does
		os.Exit(0)
	}()
	h := alive(vaulttest.Over(lone{}, o.Path, func(seal func(memory.DID) []byte) store.Store {
		var s store.Store
		var err error
		if o.Path != "" {
			s, err = sqlite.Open(context.Background(), o.Path, sqlite.Options{Seal: seal})
		} else {
			// One that is stopped within a transaction keeps the others out for so long.
			s, err = postgres.Open(context.Background(), o.URL, postgres.Options{Seal: seal, IdleTimeout: 5 * time.Second})
		}
		if err != nil {
			lone{}.Fatal("open the store:", err)
		}
		return s
	}))
	running, _, err := o.hostOf(h)
	if err != nil {
		lone{}.Fatal(err)
	}
	if o.Continues {
		goOnWithAll(h, running)
	}
	running.Drive(h.Ctx, h.Me(), o.Limit, nil)
	os.Exit(0)
}

// goOnWithAll goes on with every run that has not ended, again and again, as a person does
// who starts the program anew.
func goOnWithAll(h *vaulttest.House, running *host.Host) {
	var mu sync.Mutex
	going := map[string]bool{}
	for ; ; time.Sleep(100 * time.Millisecond) {
		rows, err := running.List(h.Ctx, h.Me(), "", runstore.Place{}, 12)
		if err != nil {
			fmt.Fprintln(os.Stderr, "list:", err)
		}
		for _, row := range rows {
			mu.Lock()
			busy := going[row.ID]
			going[row.ID] = true
			mu.Unlock()
			if busy || row.Status == "completed" || row.Status == "failed" {
				continue
			}
			go func() {
				if _, err := running.Continue(h.Ctx, h.Me(), row.ID, run.ContinueOptions{}); err != nil && !errors.Is(err, run.ErrHeld) && !errors.Is(err, run.ErrFenced) {
					fmt.Fprintln(os.Stderr, "continue:", err)
				}
				mu.Lock()
				defer mu.Unlock()
				delete(going, row.ID)
			}()
		}
	}
}
