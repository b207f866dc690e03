package cli

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

// logger writes faults for whoever sits at the terminal or reads a host's log
// of messages, and nothing when the program is to be quiet.
func (a *App) logger() *slog.Logger {
	if a.Quiet {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(&complaints{app: a})
}

// complaints is a handler that writes errors in the manner of the program's
// other messages.
type complaints struct {
	app  *App
	with []slog.Attr
}

// Enabled reports whether records of a level are written: errors are.
func (h *complaints) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelError
}

// Handle writes one record on one line.
func (h *complaints) Handle(_ context.Context, r slog.Record) error {
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
		return nil // the command fails by it, and says so itself
	}
	h.app.Warn("%s", strings.Join(parts, ": "))
	return nil
}

// WithAttrs returns a handler that writes these too.
func (h *complaints) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &complaints{h.app, append(h.with[:len(h.with):len(h.with)], attrs...)}
}

// WithGroup returns the handler itself: people need no groups.
func (h *complaints) WithGroup(string) slog.Handler { return h }
