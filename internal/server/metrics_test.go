package server_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// scrape returns the metrics by their line's name and labels, and fails when the
// text is not in the format of Prometheus 0.0.4.
func scrape(t *testing.T, s *running) map[string]string {
	t.Helper()
	got := s.do(t, "GET", "/metrics", "")
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" || !bytes.HasSuffix(got.body, []byte("\n")) {
		t.Fatalf("%d %v %s", got.StatusCode, got.Header, got.body)
	}
	help := regexp.MustCompile(`^# HELP [a-z_]+ [^\n]+$`)
	kind := regexp.MustCompile(`^# TYPE ([a-z_]+) (counter|gauge|histogram)$`)
	sample := regexp.MustCompile(`^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})? (\S+)$`)
	out, family := map[string]string{}, ""
	for _, line := range strings.Split(strings.TrimSuffix(string(got.body), "\n"), "\n") {
		if help.MatchString(line) {
			continue
		}
		if m := kind.FindStringSubmatch(line); m != nil {
			family = m[1]
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil || !strings.HasPrefix(m[1], family) {
			t.Fatalf("after the type of %s: %q", family, line)
		}
		if _, twice := out[m[1]+m[2]]; twice {
			t.Errorf("%s%s is said twice", m[1], m[2])
		}
		out[m[1]+m[2]] = m[3]
	}
	return out
}

func TestMetrics(t *testing.T) {
	k := newKeeper(t)
	k.facts = map[string]float64{"records_active": 2, "Bad-Name": 1, "": 1, "evil\n# TYPE x counter": 1}
	s := start(t, server.Options{Backend: k, FailRate: 0.01, FailBurst: 2})
	for range 3 {
		s.do(t, "POST", "/ump/recall", `{"query":"pnpm"}`)
	}
	s.do(t, "POST", "/ump/recall", `{"query":`)
	s.do(t, "GET", "/ump/memory/"+known, "")
	s.do(t, "GET", "/ump/memory/urn:ump:canary", "")
	s.do(t, "GET", "/canary", "")
	s.do(t, "CANARY", "/ump/recall", "")
	for range 3 {
		s.do(t, "GET", "/ump/export", "", bearing("umpcap.canary"))
	}
	got := scrape(t, s)
	for name, want := range map[string]string{
		`satchel_http_requests_total{route="/ump/recall",method="POST",status="200"}`:     "3",
		`satchel_http_requests_total{route="/ump/recall",method="POST",status="400"}`:     "1",
		`satchel_http_requests_total{route="/ump/recall",method="other",status="405"}`:    "1",
		`satchel_http_requests_total{route="/ump/memory/{id}",method="GET",status="200"}`: "1",
		`satchel_http_requests_total{route="/ump/memory/{id}",method="GET",status="404"}`: "1",
		`satchel_http_requests_total{route="other",method="GET",status="404"}`:            "1",
		`satchel_http_requests_total{route="/ump/export",method="GET",status="429"}`:      "1",
		`satchel_http_request_duration_seconds_count{route="/ump/recall"}`:                "5",
		`satchel_http_request_duration_seconds_bucket{route="/ump/recall",le="+Inf"}`:     "5",
		"satchel_http_requests_in_flight":                                                 "1", // this one
		"satchel_http_unauthorized_total":                                                 "2",
		`satchel_http_rate_limited_total{payer="failed"}`:                                 "1",
		"satchel_http_open_streams":                                                       "0",
		"satchel_records_active":                                                          "2",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %s", name, got[name], want)
		}
	}
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", "process_start_time_seconds", "satchel_http_received_bytes_total", "satchel_http_sent_bytes_total"} {
		if got[name] == "" || got[name] == "0" {
			t.Errorf("%s is %q", name, got[name])
		}
	}
	if all := fmt.Sprint(got); strings.Contains(strings.ToLower(all), "canary") || strings.Contains(all, "Bad") || strings.Contains(all, "evil") || strings.Contains(all, known) || !strings.Contains(all, `version="1.0.0"`) {
		t.Errorf("%s", all)
	}
}

func TestMetricsAreBounded(t *testing.T) {
	s := start(t, server.Options{Rate: 1e6, Burst: 1e6})
	for i := range 300 {
		s.do(t, "GET", fmt.Sprintf("/ump/memory/urn:ump:%d", i), "")
		s.do(t, "GET", fmt.Sprintf("/made/up/%d", i), "")
	}
	if got := scrape(t, s); len(got) > 100 {
		t.Errorf("%d lines after requests to many paths", len(got))
	}
}

func TestWhoSeesMetrics(t *testing.T) {
	k := newKeeper(t)
	closed, open := start(t, server.Options{Backend: k}), start(t, server.Options{Backend: k, OpenMetrics: true})
	for credentials, want := range map[string][2]int{
		bearing(token): {200, 200}, "Authorization:": {401, 200}, bearing("umpcap.wrong"): {401, 200},
		bearing(peer): {403, 200}, bearing(agent): {403, 200}, bearing(proxy): {403, 200},
	} {
		for i, s := range []*running{closed, open} {
			got := s.do(t, "GET", "/metrics", "", credentials)
			if got.StatusCode != want[i] {
				t.Errorf("%s: %d, want %d", credentials, got.StatusCode, want[i])
			}
			if got.StatusCode == 403 && got.code(t) != memory.ForbiddenScope || got.StatusCode == 401 && got.code(t) != memory.Unauthorized {
				t.Errorf("%s: %s", credentials, got.body)
			}
		}
	}
	for _, method := range []string{"POST", "DELETE", "OPTIONS"} {
		if got := closed.do(t, method, "/metrics", ""); got.StatusCode != 405 {
			t.Errorf("%s: %d", method, got.StatusCode)
		}
	}
	if got := closed.do(t, "HEAD", "/metrics", ""); got.StatusCode != 200 || len(got.body) > 0 {
		t.Errorf("HEAD: %d %s", got.StatusCode, got.body)
	}
}

// Metrics of a real vault.
func TestMetricsOfVault(t *testing.T) {
	t.Parallel()
	h := build(t)
	ask[outcome](t, h, "POST", "/ump/remember", `{"record":{"body":{"text":"The canary sings."},"scope":{"project":"github.com/canary/project"}}}`)
	id := ask[outcome](t, h, "POST", "/ump/remember", `{"record":{"body":{"text":"The barn is red."}}}`).ID
	ask[outcome](t, h, "POST", "/ump/forget", `{"id":"`+id+`","reason":"outdated"}`)
	got := scrape(t, h.running)
	h.do(t, "GET", "/ump/export", "", bearing("umpcap.nonsense"))
	for name, want := range map[string]string{"satchel_records_active": "1", "satchel_records_tombstoned": "1", "satchel_records_candidate": "0", "satchel_tokens_in_force": "0"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %s", name, got[name], want)
		}
	}
	if strings.Contains(fmt.Sprint(got), "canary") {
		t.Errorf("%v", got)
	}
	t.Run("refusals reach the audit log", func(t *testing.T) {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			if n := scrape(t, h.running)["satchel_audit_entries"]; n != got["satchel_audit_entries"] {
				return
			}
			if time.Now().After(end) {
				t.Fatal("nothing is written")
			}
		}
	})
}
