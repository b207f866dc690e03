package engramhttp_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

func TestIssuedAnew(t *testing.T) {
	t.Run("ENGRAM-3.9-CTX-4 each answer is issued when it is asked for, and verifies", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		for range 3 {
			v := s.verified(t, s.do("GET", "/v1/context", ""))
			if d := v.Document; !d.IssuedAt.Equal(s.now) || !d.ExpiresAt.Equal(s.now.Add(engram.DefaultLifetime)) {
				t.Errorf("at %s it is issued at %s until %s", s.now, d.IssuedAt, d.ExpiresAt)
			}
			s.now = s.now.Add(2 * time.Second)
		}
		if s.service.reads != 1 {
			t.Errorf("the memory was read %d times", s.service.reads)
		}
	})
	t.Run("ENGRAM-3.7-20 issued_at does not tell of a change that the scope leaves out", func(t *testing.T) {
		quiet, busy := serve(t, engramhttp.Options{}), serve(t, engramhttp.Options{})
		for range 3 {
			busy.service.state++
			a, b := quiet.do("GET", "/v1/context?scope=minimal", "").body, busy.do("GET", "/v1/context?scope=minimal", "").body
			if !bytes.Equal(a, b) {
				t.Errorf("%s\n%s", a, b)
			}
			quiet.now, busy.now = quiet.now.Add(time.Hour), busy.now.Add(time.Hour)
		}
	})
}

// The memory is read again only after a change, at the next edge, or for another caller.
func TestCache(t *testing.T) {
	get := func(s *site) { s.do("GET", "/v1/context", "") }
	for name, c := range map[string]struct {
		between func(s *site)
		reads   int
	}{
		"nothing happens":            {func(s *site) { s.now = s.now.Add(24 * time.Hour) }, 1},
		"something changes":          {func(s *site) { s.service.state++ }, 2},
		"before an edge":             {func(s *site) { s.edge(); s.now = noon.Add(time.Hour - 1) }, 2},
		"an edge passes":             {func(s *site) { s.edge(); s.now = noon.Add(time.Hour) }, 3},
		"the key is another":         {func(s *site) { s.kid = "key-2026-07" }, 2},
		"the owner is forgotten":     {func(s *site) { s.Forget(s.who.Owner) }, 2},
		"another owner is forgotten": {func(s *site) { s.Forget("did:key:z") }, 1},
		"it is used now and then": {func(s *site) {
			s.now = s.now.Add(4 * time.Minute)
			s.Sweep()
			get(s)
			s.now = s.now.Add(4 * time.Minute)
			s.Sweep()
		}, 1},
		"it is not used for some minutes": {func(s *site) { s.now = s.now.Add(5 * time.Minute); s.Sweep() }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, engramhttp.Options{})
			get(s)
			c.between(s)
			if get(s); s.service.reads != c.reads {
				t.Errorf("the memory is read %d times, want %d", s.service.reads, c.reads)
			}
		})
	}
}

// edge makes the context differ in an hour.
func (s *site) edge() {
	s.service.until = noon.Add(time.Hour)
	s.service.state++
	s.do("GET", "/v1/context", "")
}

// What one may have, another is never sent.
func TestCacheKeepsCallersApart(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	owner := s.who
	whole := s.do("GET", "/v1/context", "").body
	s.runtime("minimal", memory.ReadVerb)
	if v := s.verified(t, s.do("GET", "/v1/context", "")); v.Document.Scope != engram.Minimal {
		t.Errorf("a narrow token has scope %s", v.Document.Scope)
	}
	s.runtime("financial", memory.ReadVerb)
	if v := s.verified(t, s.do("GET", "/v1/context", "")); v.Document.Scope != engram.Financial {
		t.Errorf("another token has scope %s", v.Document.Scope)
	}
	s.who = owner
	if !bytes.Equal(whole, s.do("GET", "/v1/context", "").body) {
		t.Error("the owner has other bytes than before")
	}
	s.who.Owner = "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z"
	if v := s.verified(t, s.do("GET", "/v1/context", "")); v.Document.Subject.ID != engram.SubjectID(s.who.Owner) {
		t.Error("another owner has the subject of the first")
	}
}

func TestCacheIsBounded(t *testing.T) {
	s := serve(t, engramhttp.Options{Cache: 12 << 10})
	for _, scope := range []string{"full", "professional", "personal", "financial", "minimal"} {
		for range 3 {
			s.runtime(scope, memory.ReadVerb)
			s.who.Grant.ID += "x"
			s.do("GET", "/v1/context", "")
		}
		if n, size := s.Kept(); size > 12<<10 || n == 0 {
			t.Fatalf("%d contexts of %d bytes are kept", n, size)
		}
	}
	s.Forget(s.who.Owner)
	if n, size := s.Kept(); n != 0 || size != 0 {
		t.Errorf("%d contexts of %d bytes are kept of one who was forgotten", n, size)
	}
	large := serve(t, engramhttp.Options{Cache: 1 << 10})
	if large.do("GET", "/v1/context", ""); large.service.reads != 1 {
		t.Fatal("not read")
	}
	if n, _ := large.Kept(); n != 0 {
		t.Error("one that is too large is kept")
	}
}

// Of many who ask at once, one makes the context, and all have the same bytes.
func TestOneMakesIt(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	s.service.slow, s.service.began = make(chan struct{}), make(chan struct{}, 20)
	const many = 20
	got := make([][]byte, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { got[i] = s.do("GET", "/v1/context", "").body })
	}
	<-s.service.began
	time.Sleep(20 * time.Millisecond) // so that others come and wait
	close(s.service.slow)
	all.Wait()
	for i := range got {
		if !bytes.Equal(got[i], got[0]) {
			t.Errorf("%d has other bytes", i)
		}
	}
	if s.service.reads != 1 {
		t.Errorf("the memory was read %d times", s.service.reads)
	}
}

// What is being made while its owner is erased is not kept.
func TestForgottenWhileMade(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	s.service.slow, s.service.began = make(chan struct{}), make(chan struct{}, 1)
	done := make(chan struct{})
	go func() { defer close(done); s.do("GET", "/v1/context", "") }()
	<-s.service.began
	s.Forget(s.who.Owner)
	close(s.service.slow)
	<-done
	if n, _ := s.Kept(); n != 0 {
		t.Error("it is kept")
	}
}
