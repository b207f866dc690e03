package sleep_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/internal/sleep"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := sleep.For(t.Context(), time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		short, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if err := sleep.For(short, time.Minute); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 61*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if err := sleep.For(short, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after the end: %v", err)
		}
	})
}
