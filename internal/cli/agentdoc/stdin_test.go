package agentdoc

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

func TestStandardInputCalledOff(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	a, _, _ := clitest.Person(t, ctx)
	in, w := io.Pipe() // which nothing comes from
	defer w.Close()
	a.In = in
	time.AfterFunc(10*time.Millisecond, stop)
	if _, err := Bytes(a, "-"); !errors.Is(err, context.Canceled) {
		t.Errorf("agentBytes: %v", err)
	}
	if _, err := a.Text("-", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("text: %v", err)
	}
	if _, err := a.Line(); !errors.Is(err, context.Canceled) {
		t.Errorf("line: %v", err)
	}
}

func TestStandardInputWhole(t *testing.T) {
	a, _, _ := clitest.Person(t, t.Context())
	want := strings.Repeat("0123456789", 20_000)
	a.In = strings.NewReader(want)
	if got, err := Bytes(a, "-"); string(got) != want || err != nil {
		t.Errorf("%d bytes of %d: %v", len(got), len(want), err)
	}
}
