package httpkit_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

func TestDoor(t *testing.T) {
	t.Run("nobody is let in, and nobody told", func(t *testing.T) {
		d := httpkit.Filled(httpkit.BaseOptions{})
		if _, err := d.Authenticate(nil); memory.KindOf(err) != memory.Unauthorized {
			t.Errorf("%v", err)
		}
		d.Refused(nil, memory.ForbiddenScope)
		d.Report(nil, nil)
		if now := d.Now(); !now.IsZero() {
			t.Errorf("it is %v", now)
		}
	})
	t.Run("who is there is asked and told", func(t *testing.T) {
		var told []string
		noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
		d := httpkit.Filled(httpkit.BaseOptions{
			Authenticate: func(*http.Request) (memory.Caller, error) { return memory.Caller{Role: memory.Owner}, nil },
			Refused:      func(_ *http.Request, k memory.ErrorKind) { told = append(told, string(k)) },
			Report:       func(_ *http.Request, err error) { told = append(told, err.Error()) },
			Now:          func() time.Time { return noon },
		})
		d.Refused(nil, memory.ForbiddenScope)
		d.Report(nil, httpkit.ErrTooLarge)
		if c, err := d.Authenticate(nil); c.Role != memory.Owner || err != nil || len(told) != 2 || !d.Now().Equal(noon) {
			t.Errorf("%v %v %q", c, err, told)
		}
	})
}
