//go:build unix

package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

func TestServe(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	a, _, messages := clitest.Person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	ended := make(chan int)
	go func() { ended <- run(a, []string{"serve", "--addr", "127.0.0.1:0"}) }()
	base := waitFor(t, messages, regexp.MustCompile(`serving (http://[^/]+)/ump`))
	token, err := os.ReadFile(filepath.Join(a.Env("SATCHEL_STORE"), "token"))
	if err != nil {
		t.Fatal(err)
	}
	if got := post(t, base+"/ump/recall", "", `{"query":"x"}`); got != http.StatusUnauthorized {
		t.Errorf("without the token: status %d", got)
	}
	if got := post(t, base+"/ump/recall", strings.TrimSpace(string(token)), `{"query":"x"}`); got != http.StatusOK {
		t.Errorf("with the token: status %d", got)
	}
	stop()
	select {
	case code := <-ended:
		if code != cli.ExitDone {
			t.Errorf("an interrupted server ends with %d: %s", code, messages)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not end")
	}
	if strings.Contains(messages.String(), strings.TrimSpace(string(token))) {
		t.Error("the token is in the log")
	}
}

func TestServeRefuses(t *testing.T) {
	t.Parallel()
	a, _, messages := clitest.Person(t, t.Context())
	if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	if code := run(a, []string{"serve", "--addr", "0.0.0.0:0"}); code != cli.ExitUsage || !strings.Contains(messages.String(), "--allow-remote") {
		t.Errorf("an address for everybody ends with %d", code)
	}
	if code := run(a, []string{"serve", "--addr", "nonsense"}); code != cli.ExitUsage || strings.Contains(messages.String(), "serving") {
		t.Errorf("an address that is none ends with %d: %s", code, messages)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if code := run(a, []string{"serve", "--addr", taken.Addr().String()}); code != cli.ExitFailed || !strings.Contains(messages.String(), "--addr") {
		t.Errorf("a port in use ends with %d: %s", code, messages)
	}
}

func waitFor(t *testing.T, messages *clitest.Buffer, what *regexp.Regexp) string {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if found := what.FindStringSubmatch(messages.String()); found != nil {
			return found[1]
		}
	}
	t.Fatalf("%v was never said: %s", what, messages)
	return ""
}

func post(t *testing.T, url, token, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}
