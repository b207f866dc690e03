package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// follower subscribes to an owner's changes, and again wherever it was cut off,
// of another server each time.
type follower struct {
	actor  *actor
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	heard    map[string]int // "type id"
	last     int64          // the latest event
	streams  int            // times it has subscribed
	failures []error
}

// follow begins at the owner's first change.
func (a *actor) follow() *follower {
	ctx, cancel := context.WithCancel(context.Background())
	f := &follower{actor: a, cancel: cancel, done: make(chan struct{}), heard: map[string]int{}}
	go func() {
		defer close(f.done)
		for n := 0; ctx.Err() == nil; n++ {
			f.stream(ctx, a.cluster.replicas[n%len(a.cluster.replicas)])
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return f
}

// listening waits until the first server has begun to answer.
func (f *follower) listening(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		streams := f.streams
		f.mu.Unlock()
		if streams > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("nobody answers %s, who wants to follow", f.actor.name)
		}
	}
}

// stream listens to one server until that ends.
func (f *follower) stream(ctx context.Context, r *replica) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.at()+"/ump/subscribe", nil)
	if err != nil {
		f.fail(err)
		return
	}
	request.Header.Set("Authorization", "Bearer "+f.actor.token)
	request.Header.Set("Last-Event-ID", strconv.FormatInt(f.last, 10))
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		return // nobody answers; another server will
	}
	defer got.Body.Close()
	a := answer{status: got.StatusCode, header: got.Header}
	if _, passes := passing(a, nil); passes {
		return
	}
	if got.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(got.Body)
		f.fail(fmt.Errorf("subscribe: %d %s", got.StatusCode, said))
		return
	}
	f.mu.Lock()
	f.streams++
	f.mu.Unlock()
	var id, data string
	for lines := bufio.NewScanner(got.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if lines.Text() == "" && id != "" && data != "" {
				f.take(id, data)
				id, data = "", ""
			}
		}
	}
}

// take notes an event, which has to come after all before it and to be the
// owner's.
func (f *follower) take(id, data string) {
	var e struct {
		Type, ID string
		Record   *shown
	}
	number, err := strconv.ParseInt(id, 10, 64)
	if err == nil {
		err = json.Unmarshal([]byte(data), &e)
	}
	if err != nil {
		f.fail(fmt.Errorf("an event that cannot be read: %w", err))
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if number <= f.last {
		f.failures = append(f.failures, fmt.Errorf("event %d comes after %d", number, f.last))
	}
	if e.Record != nil && e.Record.Scope.Owner != f.actor.owner {
		f.failures = append(f.failures, fmt.Errorf("an event of %s for %s", e.Record.Scope.Owner, f.actor.owner))
	}
	f.last = number
	f.heard[e.Type+" "+e.ID]++
}

func (f *follower) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, err)
}

// settle waits until all has been heard that was acknowledged, and returns what
// is missing, doubled or too much after that.
func (f *follower) settle() []error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && !f.complete(); {
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond) // for what comes too much
	f.cancel()
	<-f.done
	for what, n := range f.actor.told {
		if f.heard[what] != n {
			f.failures = append(f.failures, fmt.Errorf("%s: heard %d times of %s, want %d", f.actor.name, f.heard[what], what, n))
		}
	}
	for what, n := range f.heard {
		if f.actor.told[what] == 0 {
			f.failures = append(f.failures, fmt.Errorf("%s: heard %d times of %s, which was not acknowledged", f.actor.name, n, what))
		}
	}
	return f.failures
}

func (f *follower) complete() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.heard) >= len(f.actor.told)
}
