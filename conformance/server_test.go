package conformance_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance"
)

func TestBase(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1:7777":   "http://127.0.0.1:7777",
		"https://memory.example/": "https://memory.example",
		"https://a.example/b/":    "https://a.example/b",
		"memory.example":          "",
		"ftp://memory.example":    "",
		"http:///path":            "",
		"http://me@a.example":     "",
		"http://a.example/?q=1":   "",
		"http://a.example/#top":   "",
		"http://a.example:port":   "",
		"":                        "",
	} {
		if got, err := conformance.Base(address); got != want || (err == nil) != (want != "") {
			t.Errorf("Base(%q) = %q, %v; want %q", address, got, err, want)
		}
	}
}

func TestWants(t *testing.T) {
	for _, test := range []struct {
		id   string
		only []string
		want bool
	}{
		{"X-3.2-7", nil, true},
		{"X-3.2-7", []string{"X-3.2-7"}, true},
		{"X-3.2-7", []string{"X-3.2"}, true},
		{"X-3.2-7", []string{"X-3.2-"}, true},
		{"X-3.2-7", []string{"X-3"}, true},
		{"X-3.2-7", []string{"X-4", "X-3.2"}, true},
		{"X-3.2-71", []string{"X-3.2-7"}, false},
		{"X-3.21-7", []string{"X-3.2"}, false},
		{"X-31-7", []string{"X-3"}, false},
	} {
		if got := conformance.Wants(test.only, test.id); got != test.want {
			t.Errorf("Wants(%q, %s) = %v", test.only, test.id, got)
		}
	}
}

func TestPatiently(t *testing.T) {
	ended, end := context.WithCancel(t.Context()) // so that nothing is waited for
	end()
	for lasts, want := range map[int]int{0: 1, 2: 3, 100: 8} {
		asked := 0
		err := conformance.Patiently(ended, time.Now, func() (int, http.Header) {
			if asked++; asked <= lasts {
				return http.StatusTooManyRequests, nil
			}
			return http.StatusOK, nil
		})
		if asked != want || (err != nil) != (lasts == 100) {
			t.Errorf("throttled %d times: asked %d times, %v", lasts, asked, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		"":                              time.Second,
		"0":                             0,
		"7":                             7 * time.Second,
		"3600":                          20 * time.Second,
		"-1":                            time.Second,
		"soon":                          time.Second,
		"Mon, 01 Jun 2026 12:00:09 GMT": 9 * time.Second,
		"Mon, 01 Jun 2026 11:00:00 GMT": 0,
		"Mon, 01 Jun 2026 13:00:00 GMT": 20 * time.Second,
	} {
		if got := conformance.RetryAfter(http.Header{"Retry-After": {said}}, now); got != want {
			t.Errorf("RetryAfter(%q) = %v, want %v", said, got, want)
		}
	}
}
