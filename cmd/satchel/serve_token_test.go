//go:build unix

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// serving is somebody whose server runs until the test ends, or is stopped.
func serving(t *testing.T, flags ...string) (p *tried, base string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	a, _, messages := clitest.Person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	ended := make(chan int, 1)
	go func() { ended <- run(a, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)) }()
	stop = sync.OnceValue(func() int {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	base = waitFor(t, messages, regexp.MustCompile(`(http://127[^/]+)/ump`))
	out, said := new(clitest.Buffer), new(clitest.Buffer)
	own := *a // commands beside the server
	own.Ctx, own.Out, own.Err = t.Context(), out, said
	return &tried{a: &own, out: out, messages: said}, base, stop
}

// mint makes a token.
func (p *tried) mint(t *testing.T, flags ...string) string {
	t.Helper()
	code, out, said := p.run(append([]string{"token", "mint", "-q"}, flags...)...)
	if code != cli.ExitDone {
		t.Fatalf("mint ends with %d: %s", code, said)
	}
	return strings.TrimSpace(out)
}

// What came in with a token, and what was done with it, is told with its name.
func TestTokensAreNamed(t *testing.T) {
	t.Parallel()
	p, base, stop := serving(t)
	writer := p.mint(t, "--verb", "write,read", "--all", "--name", "Ana")
	if got := post(t, base+"/ump/remember", writer, `{"kind":"semantic","body":{"text":"Ana was here"}}`); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	if got := post(t, base+"/ump/recall", writer, `{"query":"Ana"}`); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	_, out, _ := p.run("list", "--json")
	var page struct {
		Records []struct {
			ID string `json:"id"`
		} `json:"records"`
	}
	if err := json.Unmarshal([]byte(out), &page); err != nil || len(page.Records) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	if _, out, _ := p.run("get", page.Records[0].ID); !regexp.MustCompile(`(?m)^came in with +token Ana \(\w+\)$`).MatchString(out) {
		t.Errorf("get: %s", out)
	}
	stop() // which writes what was counted
	for _, args := range [][]string{{"audit", "show"}, {"audit", "show", "--token", "Ana"}} {
		if _, out, said := p.run(args...); !regexp.MustCompile(`read +token Ana \(\w+\) by http +1 memory \(\w{8}\)`).MatchString(out) {
			t.Errorf("%v: %s%s", args, out, said)
		}
	}
}

func TestServeLimits(t *testing.T) {
	t.Parallel()
	p, base, stop := serving(t, "--rate", "0.001", "--burst", "2", "--audience", "did:web:here", "--log", "json")
	here, elsewhere := p.mint(t, "--verb", "read", "--all", "--audience", "did:web:here"), p.mint(t, "--verb", "read", "--all", "--audience", "did:web:there")
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		if got := post(t, base+"/ump/recall", here, `{"query":"x"}`); got != want {
			t.Errorf("request %d: status %d, want %d", i, got, want)
		}
	}
	if got := post(t, base+"/ump/recall", elsewhere, `{"query":"x"}`); got != http.StatusUnauthorized {
		t.Errorf("a token for another server: status %d", got)
	}
	if code := stop(); code != cli.ExitDone {
		t.Errorf("ends with %d", code)
	}
}

func TestServeSaysWhereAndThatItStopped(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{"text": "\nstopped\n", "json": `"msg":"stopped"`} {
		ctx, cancel := context.WithCancel(t.Context())
		a, _, messages := clitest.Person(t, ctx)
		if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
			t.Fatalf("init ends with %d: %s", code, messages)
		}
		ended := make(chan int)
		go func() {
			ended <- run(a, []string{"serve", "--addr", "0.0.0.0:0", "--allow-remote", "--log", form})
		}()
		waitFor(t, messages, regexp.MustCompile(`(others use with --host)`))
		cancel()
		if code := <-ended; code != cli.ExitDone || !strings.Contains(messages.String(), want) {
			t.Errorf("%s: ends with %d: %s", form, code, messages)
		}
	}
}
