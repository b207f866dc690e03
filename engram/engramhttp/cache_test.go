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

// An unchanged memory answers with the same bytes until the first of: shortly before
// they expire, the next edge, the next change.
func TestSameBytes(t *testing.T) {
	get := func(s *site) []byte { return s.do("GET", "/v1/context", "").body }
	for name, c := range map[string]struct {
		between func(s *site)
		same    bool
	}{
		"nothing happens": {func(s *site) { s.now = s.now.Add(time.Hour) }, true},
		"something changes": {func(s *site) {
			s.now = s.now.Add(time.Second)
			s.service.state++
			s.service.memory.Identity.DisplayName = "Bea"
		}, false},
		"ENGRAM-3.7-20 what changes is not told": {func(s *site) { s.now = s.now.Add(time.Hour); s.service.state++ }, true},
		"what changes is not told, and it would end": {func(s *site) {
			for range 11 {
				s.now = s.now.Add(time.Hour)
				s.service.state++
				s.do("GET", "/v1/context", "")
			}
		}, false},
		"ENGRAM-3.9-CTX-4 it would end": {func(s *site) { s.now = s.now.Add(11 * time.Hour) }, false},
		"it would not end yet":          {func(s *site) { s.now = s.now.Add(11*time.Hour - time.Second) }, true},
		"the key is another":            {func(s *site) { s.kid = "key-2026-07" }, false},
		"the owner is forgotten":        {func(s *site) { s.now = s.now.Add(time.Second); s.Forget(s.who.Owner) }, false},
		"another owner is forgotten":    {func(s *site) { s.now = s.now.Add(time.Second); s.Forget("did:key:z") }, true},
		"it is used now and then": {func(s *site) {
			s.now = s.now.Add(4 * time.Minute)
			s.Sweep()
			get(s)
			s.now = s.now.Add(4 * time.Minute)
			s.Sweep()
		}, true},
		"it is not used for some minutes": {func(s *site) { s.now = s.now.Add(5 * time.Minute); s.Sweep() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, engramhttp.Options{})
			first := get(s)
			c.between(s)
			if got := bytes.Equal(first, get(s)); got != c.same {
				t.Errorf("the same bytes: %v, after %d readings", got, s.service.reads)
			}
		})
	}
	t.Run("an edge passes", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.service.until = noon.Add(time.Minute)
		first := get(s)
		if s.now = noon.Add(59 * time.Second); !bytes.Equal(first, get(s)) {
			t.Error("before it the bytes are others")
		}
		if s.now = noon.Add(time.Minute); !bytes.Equal(first, get(s)) || s.service.reads != 2 {
			t.Error("ENGRAM-3.7-20: after it the bytes are others, and nothing that is told has changed")
		}
		s.service.memory.Identity.DisplayName = "Bea"
		if bytes.Equal(first, get(s)) {
			t.Error("after it the bytes are the same")
		}
	})
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
