package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// shared is a buffer for two goroutines.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends to the buffer.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String returns what was written so far.
func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// person is somebody at a command line of their own.
func person(t *testing.T, ctx context.Context) (*app, *shared, *shared) {
	t.Helper()
	home := t.TempDir()
	out, messages := new(shared), new(shared)
	env := map[string]string{"HOME": home, "SATCHEL_STORE": filepath.Join(home, "store")}
	return &app{
		ctx: ctx, in: strings.NewReader(""), out: out, err: messages, now: time.Now,
		env: func(name string) string { return env[name] },
	}, out, messages
}
