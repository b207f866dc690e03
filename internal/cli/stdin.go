package cli

import (
	"context"
	"io"
)

// Stdin is standard input. Reading it ends when the command is cancelled, because nobody
// may ever write to it.
func (a *App) Stdin() io.Reader { return cancellableReader{a.Ctx, a.In} }

// cancellableReader reads until ctx ends.
type cancellableReader struct {
	ctx context.Context
	r   io.Reader
}

// Read fails once the context has ended. Later input is lost.
func (r cancellableReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	got, err := await(r.ctx, func() ([]byte, error) {
		buffer := make([]byte, len(p)) // the caller owns p again after Read
		n, err := r.r.Read(buffer)
		return buffer[:n], err
	})
	return copy(p, got), err
}

// await runs do until ctx ends, and then abandons it: nothing else ends a read of a
// terminal.
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
