package server

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// TestGatedWriterAtOnce: several goroutines write parts of one answer and flush them; each
// part arrives whole.
func TestGatedWriterAtOnce(t *testing.T) {
	got := httptest.NewRecorder()
	l := &gatedWriter{ResponseWriter: got, control: http.NewResponseController(got), ctx: t.Context(), cancel: func() {}}
	const writers, parts = 4, 200
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			for i := range parts {
				if _, err := fmt.Fprintf(l, "part %d of %d\n", i, n); err != nil {
					t.Error(err)
				}
				if err := l.FlushError(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := l.finish(); err != nil {
		t.Error(err)
	}
	lines := map[string]int{}
	for line := range bytes.Lines(got.Body.Bytes()) {
		lines[string(line)]++
	}
	for n := range writers {
		for i := range parts {
			if line := fmt.Sprintf("part %d of %d\n", i, n); lines[line] != 1 {
				t.Errorf("%q arrived %d times", line, lines[line])
			}
		}
	}
	if len(lines) != writers*parts {
		t.Errorf("%d parts arrived", len(lines))
	}
}
