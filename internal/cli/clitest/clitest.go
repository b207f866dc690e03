package clitest

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

// Buffer is a buffer that two goroutines may use.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends to the buffer.
func (s *Buffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String returns the text so far.
func (s *Buffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Person is a user at a command line.
func Person(t *testing.T, ctx context.Context) (*cli.App, *Buffer, *Buffer) {
	t.Helper()
	home := t.TempDir()
	out, messages := new(Buffer), new(Buffer)
	env := map[string]string{"HOME": home, "SATCHEL_STORE": filepath.Join(home, "store")}
	return &cli.App{
		Ctx: ctx, In: strings.NewReader(""), Out: out, Err: messages, Now: time.Now,
		Env: func(name string) string { return env[name] },
	}, out, messages
}
