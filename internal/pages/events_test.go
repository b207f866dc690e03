package pages_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
)

// stream opens a stream and returns the answer, its lines, and what ends it.
func stream(t *testing.T, at, cookie string) (*http.Response, *bufio.Scanner, context.CancelFunc) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", at+"/me/events?after=7", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", cookie)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = got.Body.Close() })
	return got, bufio.NewScanner(got.Body), stop
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s := open()
	s.fake.waits = make([]pages.Waiting, 3)
	s.fake.browsers = []pages.Visit{{ID: "a", This: true}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	cookie := strings.TrimPrefix(visit, "Cookie: ")
	got, lines, leave := stream(t, server.URL, cookie)
	if got.Header.Get("Content-Type") != "text/event-stream" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", got.Header)
	}
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return "the end"
	}
	if said := next(); said != `{"head":7,"new":0,"waits":3,"read":""}` {
		t.Errorf("at first %s", said)
	}
	s.fake.mu.Lock()
	s.fake.news = 2
	s.fake.mu.Unlock()
	if said := next(); said != `{"head":9,"new":2,"waits":3,"read":""}` {
		t.Errorf("then %s", said)
	}
	for range 3 {
		if got, _, _ := stream(t, server.URL, cookie); got.StatusCode != 200 {
			t.Errorf("another: %d", got.StatusCode)
		}
	}
	for _, c := range []string{cookie, "satchel-1234=nobody", ""} {
		if got, _, _ := stream(t, server.URL, c); got.StatusCode != 204 {
			t.Errorf("a fifth, or a stranger with %q: %d", c, got.StatusCode)
		}
	}
	leave()
	for end := time.Now().Add(3 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if got, _, _ := stream(t, server.URL, cookie); got.StatusCode == 200 {
			break
		} else if time.Now().After(end) {
			t.Fatal("the place of one that left is not free")
		}
	}
}

// A stream ends with the visit.
func TestEventsEnd(t *testing.T) {
	t.Parallel()
	s := open(func(o *pages.Options) { o.Now = time.Now })
	s.fake.browsers = []pages.Visit{{ID: "b"}} // another browser's
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	got, lines, _ := stream(t, server.URL, strings.TrimPrefix(visit, "Cookie: "))
	if got.StatusCode != 200 {
		t.Fatalf("no stream: %d", got.StatusCode)
	}
	began := time.Now()
	for lines.Scan() {
	}
	if took := time.Since(began); took > 9*time.Second {
		t.Errorf("the stream goes on for %v", took)
	}
}
