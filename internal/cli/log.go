package cli

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

// logger writes faults for the person at the terminal or for a host's message log; nothing
// with --quiet.
func (a *App) logger() *slog.Logger {
	if a.Quiet {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(&errorHandler{app: a})
}

// errorHandler writes errors in the form of the program's other messages.
type errorHandler struct {
	app  *App
	with []slog.Attr
}

// Enabled reports whether the handler writes records of a level: errors only.
func (h *errorHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelError
}

// Handle writes one record on one line.
func (h *errorHandler) Handle(_ context.Context, r slog.Record) error {
	parts, told := []string{"satchel", r.Message}, false
	add := func(a slog.Attr) bool {
		text := a.Value.String()
		if err, ok := a.Value.Any().(error); ok {
			text = Describe(err)
			told = told || errors.Is(err, store.ErrFull)
		}
		if text != "" {
			parts = append(parts, OneLine(text, 0))
		}
		return true
	}
	for _, a := range h.with {
		add(a)
	}
	r.Attrs(add)
	if told {
		return nil // the command fails with this error, and reports it
	}
	h.app.Warn("%s", strings.Join(parts, ": "))
	return nil
}

// WithAttrs returns a handler that also writes these.
func (h *errorHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &errorHandler{h.app, append(h.with[:len(h.with):len(h.with)], attrs...)}
}

// WithGroup returns the handler itself: people need no groups.
func (h *errorHandler) WithGroup(string) slog.Handler { return h }
