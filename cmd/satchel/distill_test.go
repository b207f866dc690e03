package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

const talked = `[{"uuid":"k1","name":"Vet","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-02T03:04:05Z","chat_messages":[
{"uuid":"m1","sender":"human","created_at":"2026-01-02T03:04:05Z","text":"The vet is Dr. Mora, mail vet@example.com. I live in Oslo."}]}]`

// distilledBy runs the command on a conversation, and returns its exit status and output.
func distilledBy(t *testing.T, key string, flags ...string) (code int, file, said string) {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "talk.json"), filepath.Join(t.TempDir(), "talk.aicf")
	if err := os.WriteFile(in, []byte(talked), 0o600); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	a := &cli.App{Ctx: t.Context(), In: strings.NewReader(""), Out: io.Discard, Err: &messages, Env: func(name string) string {
		if name == "KEY" {
			return key
		}
		return ""
	}, Now: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }}
	code = run(a, append([]string{"distill", in, "-o", out}, flags...))
	data, err := os.ReadFile(out)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return code, string(data), messages.String()
}

func TestDistillWithModel(t *testing.T) {
	t.Parallel()
	proposal := `{"entries":[{"kind":"fact","text":"The vet is Dr. Mora.","turn":"m1","quote":"The vet is Dr. Mora"},{"kind":"fact","text":"Made up.","turn":"m1","quote":"I like cats"}]}`
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer sesame" || !bytes.Contains(asked, []byte(`"model":"small"`)) ||
			!bytes.Contains(asked, []byte("Dr. Mora")) || bytes.Contains(asked, []byte("vet@example.com")) {
			t.Errorf("asked %s with %q, %v", asked, r.Header.Get("Authorization"), err)
		}
		answer := map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": proposal}}}}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	code, file, said := distilledBy(t, "sesame", "--endpoint", server.URL+"/v1", "--model", "small", "--key-env", "KEY")
	if code != cli.ExitDone || !strings.Contains(file, "|@INSIGHTS The vet is Dr. Mora.|GENERAL|MEDIUM|MEDIUM|kind=fact|by=user|") || strings.Contains(file, "Made up") ||
		!strings.Contains(said, "1 were taken and 1 dropped") || !strings.Contains(file, "I live in Oslo.") {
		t.Errorf("ended with %d: %s\n%s", code, said, file)
	}
}

func TestDistillWithBadModel(t *testing.T) {
	t.Parallel()
	status, body := http.StatusOK, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	defer server.Close()
	for _, test := range []struct {
		name   string
		status int
		body   string
		code   int
		says   string
	}{
		{"refused", http.StatusUnauthorized, "", cli.ExitRefused, "--key-env"},
		{"no such model", http.StatusNotFound, "", cli.ExitFailed, "knows no model small"},
		{"too many", http.StatusTooManyRequests, "", cli.ExitFailed, "later"},
		{"broken", http.StatusBadGateway, "", cli.ExitFailed, "502"},
		{"elsewhere", http.StatusFound, "", cli.ExitFailed, "302"},
		{"no JSON", http.StatusOK, "hello", cli.ExitFailed, "does not answer as OpenAI's does"},
		{"no choice", http.StatusOK, `{"choices":[]}`, cli.ExitFailed, "does not answer as OpenAI's does"},
		{"no proposals", http.StatusOK, `{"choices":[{"message":{"content":"Sure!"}}]}`, cli.ExitFailed, "cannot be used"},
		{"endless", http.StatusOK, strings.Repeat(" ", 4<<20+1), cli.ExitFailed, "more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, body = test.status, test.body
			code, file, said := distilledBy(t, "", "--endpoint", server.URL, "--model", "small")
			if code != test.code || !strings.Contains(said, test.says) || file != "" {
				t.Errorf("ended with %d: %s; wrote %q", code, said, file)
			}
		})
	}
}

func TestDistillRefusesEndpoints(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"another machine without TLS": {"--endpoint", "http://192.0.2.1/v1", "--model", "m"},
		"no URL":                      {"--endpoint", "nowhere", "--model", "m"},
		"a password":                  {"--endpoint", "https://a:b@example.com", "--model", "m"},
		"no model":                    {"--endpoint", "https://example.com"},
		"no endpoint":                 {"--model", "m"},
		"no key":                      {"--endpoint", "https://example.com", "--model", "m", "--key-env", "EMPTY"},
	} {
		if code, file, said := distilledBy(t, "", flags...); code != cli.ExitUsage || file != "" {
			t.Errorf("%s: ended with %d: %s", name, code, said)
		}
	}
}
