package cli

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	bytes := func(done, total int64) func() (int64, int64) {
		return func() (int64, int64) { return done, total }
	}
	for _, c := range []struct {
		total int
		far   func() (int64, int64)
		from  int64
		want  string
	}{
		{0, nil, 0, "read 500 chunks, 50 a second"},
		{2000, nil, 0, "read 500 of 2000 chunks, 25 %, 50 a second, 30s left"},
		{0, bytes(1<<20, 4<<20), 0, "read 500 chunks, 25 %, 50 a second, 15s left"},
		{0, bytes(2<<20, 4<<20), 1 << 20, "read 500 chunks, 50 %, 50 a second, 10s left"},
		{0, bytes(5<<20, 4<<20), 0, "read 500 chunks, 100 %, 50 a second, 0s left"},
		{0, bytes(0, 4<<20), 0, "read 500 chunks, 50 a second"},
		{0, bytes(4<<20, 0), 0, "read 500 chunks, 50 a second"},
	} {
		p := &Progress{what: "read", unit: "chunks", total: c.total, Done: 500, far: c.far, from: c.from}
		if got := p.line(10*time.Second, 5*time.Second); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
