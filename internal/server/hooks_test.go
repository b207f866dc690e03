package server_test

import (
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

const hookSecret = "quite a long secret of theirs"

// receiver is where deliveries arrive.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	forged int
	status int
}

func receiving(t *testing.T) *receiver {
	r := &receiver{status: 204}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies = append(r.bodies, string(body))
		if !engram.VerifyDelivery(q.Header.Get("Engram-Signature"), hookSecret, body, time.Now()) {
			r.forged++
		}
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

// got are the deliveries that have arrived, and how many of them were not signed.
func (r *receiver) got() (bodies []string, forged int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.bodies...), r.forged
}

// within waits until enough has arrived.
func (r *receiver) within(d time.Duration, enough int) (bodies []string) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if bodies, _ = r.got(); len(bodies) >= enough {
			break
		}
	}
	return bodies
}

func telling(t *testing.T, r *receiver, private bool) (house, engram.Belief) {
	roots := x509.NewCertPool()
	roots.AddCert(r.Certificate())
	h, style, _ := hosting(t, server.Options{Contexts: server.Contexts{Next: engramhttp.Next{Subscriptions: true}, PrivateHooks: private, HookRoots: roots}})
	return h, style
}

func TestSubscribers(t *testing.T) {
	t.Parallel()
	r := receiving(t)
	h, style := telling(t, r, true)
	runtime := h.runtime(t, memory.Runtime{Name: "notes", Scope: "professional"}, time.Hour)
	hook := `{"url":"` + r.URL + `/hook","secret":"` + hookSecret + `"}`
	id := h.do(t, "POST", "/v1/context/subscribe", hook, runtime, asJSON).said(t, 201, "subscription_id")
	owner := memory.Caller{Owner: h.owner, Role: memory.Owner}
	t.Run("ENGRAM-12.5-1 what is corrected and confirmed is told within 5 s, by id alone", func(t *testing.T) {
		k, err := belief.Of(h.vault).Propose(t.Context(), owner, engram.Proposal{Belief: style.ID, New: "long mails", Runtime: "notes", ObservedAt: time.Now()})
		if err == nil {
			_, err = belief.Of(h.vault).Resolve(t.Context(), owner, k.ID, true, "")
		}
		if err != nil {
			t.Fatal(err)
		}
		bodies := r.within(5*time.Second, 1)
		if len(bodies) == 0 || !strings.Contains(bodies[0], style.ID) || !strings.Contains(bodies[0], "belief.updated") || !strings.Contains(bodies[0], id) || strings.Contains(bodies[0], "mails") || strings.Contains(bodies[0], "email_style") {
			t.Errorf("%q", bodies)
		}
		if _, forged := r.got(); forged > 0 {
			t.Error("it is not signed")
		}
	})
	t.Run("ENGRAM-12.5-1 nothing is told of what the token does not open, nor after the end", func(t *testing.T) {
		before := len(r.within(time.Second, 1))
		if _, err := belief.Of(h.vault).Believe(t.Context(), owner, engram.Belief{Category: engram.Health, Key: "sleep", Text: "late"}, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2500 * time.Millisecond)
		h.do(t, "DELETE", "/v1/context/subscribe/"+id, "", runtime).said(t, 200, "status")
		if _, err := belief.Of(h.vault).Correct(t.Context(), owner, style.ID, "longer mails", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2500 * time.Millisecond)
		if bodies, _ := r.got(); len(bodies) != before {
			t.Errorf("%d before: %q", before, bodies)
		}
	})
}

func TestSubscribersOnPrivateNetworks(t *testing.T) {
	t.Parallel()
	r := receiving(t)
	h, style := telling(t, r, false)
	for _, at := range []string{r.URL, strings.Replace(r.URL, "127.0.0.1", "localhost", 1)} {
		h.do(t, "POST", "/v1/context/subscribe", `{"url":"`+at+`/hook","secret":"`+hookSecret+`"}`, "", asJSON).said(t, 201, "subscription_id")
	}
	if _, err := belief.Of(h.vault).Correct(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Owner}, style.ID, "longer mails", ""); err != nil {
		t.Fatal(err)
	}
	t.Run("ENGRAM-12.5-1 addresses of this machine are refused where they lead, by name too", func(t *testing.T) {
		if bodies := r.within(3*time.Second, 1); len(bodies) > 0 {
			t.Errorf("%q", bodies)
		}
	})
}
