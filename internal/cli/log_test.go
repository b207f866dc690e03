package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"

	"github.com/satchel-memory/satchel/memory"
)

func TestComplaints(t *testing.T) {
	var b bytes.Buffer
	log := (&App{Err: &b}).logger().With("op", "list").WithGroup("g")
	log.Info("of no concern")
	log.Error("vault", "err", &memory.Error{Kind: memory.Internal, Message: "broken\x1b[31m", Err: errors.New("why")})
	if got, want := b.String(), "satchel: vault: list: broken<U+001B>[31m (why)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	slog.New((&App{Err: &b, Quiet: true}).logger().Handler()).Error("x")
	if b.Len() != 0 {
		t.Errorf("quietly: %q", b.String())
	}
}
