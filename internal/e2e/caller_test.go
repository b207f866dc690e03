package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// caller puts requests to the servers of a cluster as programs are told to: what
// was refused for a while is asked again a little later, of another server, under
// the same idempotency key.
type caller struct {
	cluster   *cluster
	http      *http.Client
	turn      atomic.Int64 // which server is asked next
	calls     atomic.Int64
	repeated  atomic.Int64
	forgiving atomic.Bool // refusals that pass are expected

	mu    sync.Mutex
	kinds map[string]int // refusals that passed, by what they said
}

func newCaller(c *cluster) *caller {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	return &caller{cluster: c, http: &http.Client{Transport: transport, Timeout: 40 * time.Second}, kinds: map[string]int{}}
}

// patience is how long a request is repeated.
const patience = time.Minute

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call returns the first answer that is no refusal for a while.
func (c *caller) call(method, path, token, key string, body any) (answer, error) {
	c.calls.Add(1)
	data, err := json.Marshal(body)
	if err != nil {
		return answer{}, err
	}
	for end := time.Now().Add(patience); ; {
		a, err := c.once(method, path, token, key, data)
		wait, passes := passing(a, err)
		if !passes {
			return a, err
		}
		if !c.forgiving.Load() {
			return a, fmt.Errorf("%s was refused: %v, %d %s", path, err, a.status, a.body)
		}
		c.note(a, err)
		if time.Now().After(end) {
			return a, fmt.Errorf("%s was refused for %v: %v, %d %s", path, patience, err, a.status, a.body)
		}
		time.Sleep(wait + time.Duration(rand.IntN(50))*time.Millisecond)
	}
}

// once asks the server whose turn it is.
func (c *caller) once(method, path, token, key string, body []byte) (answer, error) {
	r := c.cluster.replicas[int(c.turn.Add(1))%len(c.cluster.replicas)]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+r.at()+path, strings.NewReader(string(body)))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	got, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	said, err := io.ReadAll(got.Body)
	return answer{status: got.StatusCode, header: got.Header, body: said}, err
}

// passing reports whether the same request may succeed a little later, as a
// client can tell: nobody answered, or the answer says when to come back.
func passing(a answer, err error) (time.Duration, bool) {
	if err != nil {
		return 20 * time.Millisecond, true
	}
	after, bad := strconv.Atoi(a.header.Get("Retry-After"))
	if bad != nil || a.status != http.StatusServiceUnavailable && a.status != http.StatusTooManyRequests {
		return 0, false
	}
	return min(time.Duration(after)*time.Second, 2*time.Second), true
}

// note counts a refusal that passes.
func (c *caller) note(a answer, err error) {
	c.repeated.Add(1)
	what := "no answer"
	if err == nil {
		var said struct {
			Error struct{ Code, Message string }
		}
		_ = json.Unmarshal(a.body, &said) // what is no envelope shows by its absence
		what = fmt.Sprintf("%d %s: %s", a.status, said.Error.Code, said.Error.Message)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kinds[what]++
}
