package faketool_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/run/faketool"
)

// ask sends a request with an idempotency key, and returns the status; 0: none.
func ask(t *testing.T, method, address, body, key string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", key)
	r.GetBody = nil // a transport would send it again
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	_ = got.Body.Close()
	return got.StatusCode
}

func TestServer(t *testing.T) {
	fake := faketool.New()
	server := httptest.NewServer(fake)
	defer server.Close()
	defer fake.Close()
	counts := func() faketool.Count {
		t.Helper()
		got, err := http.Get(server.URL + "/counts")
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		var all map[string]faketool.Count
		if err := json.NewDecoder(got.Body).Decode(&all); err != nil {
			t.Fatal(err)
		}
		return all["pay"]
	}
	for _, step := range []struct {
		name, fault, method, key string
		status, calls, writes    int
	}{
		{"a write", "{}", "POST", "k1", 200, 1, 1},
		{"a read", "{}", "GET", "", 200, 2, 1},
		{"a write again, by a tool that knows no keys", "{}", "POST", "k1", 200, 3, 2},
		{"a write again, by one that honours keys", `{"honour":true}`, "POST", "k1", 200, 4, 2},
		{"another write of such a one", `{"honour":true}`, "POST", "k2", 200, 5, 3},
		{"a write, and the connection breaks", `{"kind":"drop_after"}`, "POST", "k3", 0, 6, 4},
		{"the connection breaks before a write", `{"kind":"drop_before"}`, "POST", "k4", 0, 7, 4},
		{"a failure after a write", `{"kind":"fail_after","times":1}`, "POST", "k5", 500, 8, 5},
		{"the fault is over after one call", "", "POST", "k6", 200, 9, 6},
		{"a fault that is none", "no", "POST", "k7", 200, 10, 7},
	} {
		t.Run(step.name, func(t *testing.T) {
			if step.fault != "" {
				ask(t, "PUT", server.URL+"/faults/pay", step.fault, "")
			}
			if got := ask(t, step.method, server.URL+"/call/pay", "{}", step.key); got != step.status {
				t.Errorf("got %d", got)
			}
			if got := counts(); got.Calls != step.calls || got.Writes != step.writes {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := counts().Keys; got["k1"] != 3 || got["k2"] != 1 || len(got) != 7 {
		t.Errorf("got %v", got)
	}
}
