package umphttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// library is a service with public memories that counts how often they are read.
type library struct {
	*umptest.Vault
	mu     sync.Mutex
	read   int
	before func() // is called before they are read
	fault  error
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{Vault: filled(t)}
	l.Level = "L3"
	return l
}

func (l *library) public(ctx context.Context, yield func(memory.Record) error) error {
	l.mu.Lock()
	l.read++
	before, fault := l.before, l.fault
	l.mu.Unlock()
	if before != nil {
		before()
	}
	if fault != nil {
		return fault
	}
	return published(l.Vault)(ctx, yield)
}

func (l *library) readings() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read
}

func (l *library) handler(o umphttp.Options) *umphttp.Handler {
	o.Public, o.Owner = l.public, owner
	return umphttp.New(l, o)
}

// publish adds a public memory of n bytes.
func (l *library) publish(t *testing.T, n int) {
	t.Helper()
	r := memory.Record{Kind: memory.Semantic, Scope: memory.Scope{Owner: owner, Visibility: memory.Public}, Body: memory.Body{Text: strings.Repeat("a", n)}}
	if _, err := l.Remember(t.Context(), memory.Caller{Owner: owner, Role: memory.Agent}, memory.Draft{Record: r}); err != nil {
		t.Fatal(err)
	}
}

const document = "/.well-known/ump/public.ndjson"

func fetch(h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", document, nil))
	return w
}

// idle is a client that takes nothing until it is told to.
type idle struct {
	*httptest.ResponseRecorder
	begun chan struct{}
	take  chan struct{}
}

func (w *idle) Write(p []byte) (int, error) {
	select {
	case w.begun <- struct{}{}:
	default:
	}
	<-w.take
	return w.ResponseRecorder.Write(p)
}

// dawdle begins to read and returns once the first piece is offered.
func dawdle(t *testing.T, h http.Handler) (w *idle, done chan any) {
	t.Helper()
	w, done = &idle{httptest.NewRecorder(), make(chan struct{}, 1), make(chan struct{})}, make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		h.ServeHTTP(w, httptest.NewRequest("GET", document, nil))
	}()
	<-w.begun
	return w, done
}

func TestEditions(t *testing.T) {
	t.Run("all who come between two changes read the same copy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			h := l.handler(umphttp.Options{Slots: func(*http.Request) (func(), bool) { t.Error("asks for a slot"); return nil, false }})
			for range 3 {
				got := fetch(h)
				if got.Code != 200 || !strings.Contains(got.Body.String(), "manual") || strings.Contains(got.Body.String(), "pnpm") ||
					got.Header().Get("Content-Length") != strconv.Itoa(got.Body.Len()) || got.Header().Get("Content-Type") != "application/x-ndjson" || got.Header().Get("Cache-Control") != "no-store" {
					t.Errorf("%d %v %s", got.Code, got.Header(), got.Body)
				}
			}
			if l.readings() != 1 {
				t.Errorf("the store is read %d times", l.readings())
			}
		})
	})
	t.Run("a change shows at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			h := l.handler(umphttp.Options{})
			if got := fetch(h); !strings.Contains(got.Body.String(), "manual") {
				t.Fatal(got.Body)
			}
			if _, err := l.Forget(t.Context(), memory.Caller{Owner: owner, Role: memory.Owner}, memory.ForgetRequest{ID: "urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa", Hard: true}); err != nil {
				t.Fatal(err)
			}
			if got := fetch(h); got.Code != 200 || got.Body.Len() != 0 {
				t.Errorf("what was erased: %d %s", got.Code, got.Body)
			}
		})
	})
	t.Run("what ends by the clock ends in it, too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			h := l.handler(umphttp.Options{})
			fetch(h)
			time.Sleep(6 * time.Second)
			fetch(h)
			if l.readings() != 2 {
				t.Errorf("the store is read %d times", l.readings())
			}
			time.Sleep(6 * time.Second)
		})
	})
	t.Run("who reads slowly holds nothing of the store, and keeps nobody out", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			h := l.handler(umphttp.Options{})
			var slow []*idle
			var done []chan any
			for range 20 {
				w, d := dawdle(t, h)
				slow, done = append(slow, w), append(done, d)
			}
			if got := fetch(h); got.Code != 200 || l.readings() != 1 {
				t.Errorf("%d, the store is read %d times", got.Code, l.readings())
			}
			for i, w := range slow {
				close(w.take)
				if fault := <-done[i]; fault != nil || !strings.Contains(w.Body.String(), "manual") {
					t.Errorf("%v %s", fault, w.Body)
				}
			}
		})
	})
	t.Run("and is cut off in the end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			l.publish(t, 200<<10)
			w, done := dawdle(t, l.handler(umphttp.Options{}))
			time.Sleep(3 * time.Minute)
			close(w.take)
			if fault := <-done; fault != http.ErrAbortHandler {
				t.Errorf("%v, %d bytes", fault, w.Body.Len())
			}
		})
	})
	t.Run("many who come at once have it made once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			l.before = func() { time.Sleep(time.Second) }
			h := l.handler(umphttp.Options{})
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					if got := fetch(h); got.Code != 200 || !strings.Contains(got.Body.String(), "manual") { // nobody gets half of one
						t.Errorf("%d %s", got.Code, got.Body)
					}
				})
			}
			all.Wait()
			if l.readings() != 1 {
				t.Errorf("the store is read %d times", l.readings())
			}
		})
	})
	t.Run("one that could not be made is made anew", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			l.fault = errors.New("disk on fire")
			h := l.handler(umphttp.Options{})
			if got := fetch(h); got.Code != 500 || strings.Contains(got.Body.String(), "fire") {
				t.Errorf("%d %s", got.Code, got.Body)
			}
			l.fault = nil
			if got := fetch(h); got.Code != 200 {
				t.Errorf("%d %s", got.Code, got.Body)
			}
		})
	})
	t.Run("HEAD reads nothing", func(t *testing.T) {
		l := newLibrary(t)
		w := httptest.NewRecorder()
		l.handler(umphttp.Options{}).ServeHTTP(w, httptest.NewRequest("HEAD", document, nil))
		if w.Code != 200 || l.readings() != 0 {
			t.Errorf("%d, the store is read %d times", w.Code, l.readings())
		}
	})
}

func TestEditionsWithoutRoom(t *testing.T) {
	const room = 256 << 10
	slots := func(n int) func(*http.Request) (func(), bool) {
		taken := 0
		return func(*http.Request) (func(), bool) {
			taken++
			return func() {}, taken <= n
		}
	}
	t.Run("a document beyond it is read by each for itself, in a slot", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			l.publish(t, room)
			h := l.handler(umphttp.Options{Held: room, Slots: slots(2)})
			for i := range 3 {
				got := fetch(h)
				if want := map[bool]int{true: 200, false: 429}[i < 2]; got.Code != want || want == 429 && got.Header().Get("Retry-After") == "" || want == 200 && got.Body.Len() < room {
					t.Errorf("reading %d: %d %v", i, got.Code, got.Header())
				}
			}
			if l.readings() != 3 { // once in vain
				t.Errorf("the store is read %d times", l.readings())
			}
		})
	})
	t.Run("copies that somebody still reads are counted, and given back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLibrary(t)
			l.publish(t, room/2)
			h := l.handler(umphttp.Options{Held: room, Slots: slots(1)})
			slow, done := dawdle(t, h)
			l.publish(t, room/8)
			if got := fetch(h); got.Code != 200 || got.Header().Get("Content-Length") != "" {
				t.Errorf("while it is read: %d %v", got.Code, got.Header())
			}
			close(slow.take)
			<-done
			time.Sleep(6 * time.Second)
			if got := fetch(h); got.Code != 200 || got.Header().Get("Content-Length") == "" {
				t.Errorf("afterwards: %d %v", got.Code, got.Header())
			}
		})
	})
	t.Run("who does not tell of changes is read each time", func(t *testing.T) {
		l := newLibrary(t)
		l.Level = "L2"
		h := l.handler(umphttp.Options{Slots: slots(2)})
		for i, want := range []int{200, 200, 429} {
			if got := fetch(h); got.Code != want {
				t.Errorf("reading %d: %d", i, got.Code)
			}
		}
	})
}
