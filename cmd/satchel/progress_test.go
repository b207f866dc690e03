package main

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		total int
		want  string
	}{
		{0, "read 500 chunks, 50 a second"},
		{2000, "read 500 of 2000 chunks, 25 %, 50 a second"},
	} {
		p := &progress{what: "read", unit: "chunks", total: c.total, done: 500}
		if got := p.line(10 * time.Second); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
