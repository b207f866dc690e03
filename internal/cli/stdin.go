package cli

import (
	"context"
	"io"
)

// Stdin is standard input, which nobody may ever write to: reading it ends when the
// command is called off.
func (a *App) Stdin() io.Reader { return awaited{a.Ctx, a.In} }

// awaited reads what may keep a reader waiting, until ctx ends.
type awaited struct {
	ctx context.Context
	r   io.Reader
}

// Read fails once the context has ended. What comes after that is lost.
func (r awaited) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	got, err := await(r.ctx, func() ([]byte, error) {
		buffer := make([]byte, len(p)) // p is the caller's again once Read has returned
		n, err := r.r.Read(buffer)
		return buffer[:n], err
	})
	return copy(p, got), err
}

// await lets do go on until ctx ends, and then leaves it to itself: nothing else ends a
// read of a terminal.
func await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	if err := ctx.Err(); err != nil {
		return *new(T), err
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}
