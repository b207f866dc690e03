// Package meaning searches an owner's memory by meaning, by vectors of a server that the
// owner chose. Nothing is sent before the owner chooses one, and nothing goes to another.
//
//	settings.go   which server and model an owner uses; on, off
//	work.go       records -> vectors: what is new, or all
//	place.go      how far the work has come
//	ask.go        question -> vector, within a short time
//	alike.go      texts that are no records, compared with a question
//	vectors.go    the vectors of owners in memory, kept equal to the store's
//
// Vectors are attachments of their records, see [store.Attachment]. The store therefore
// seals them, moves them, and deletes them with their records in one transaction. The
// spaces:
//
//	embed.settings   key "": [Settings] as JSON
//	embed.place      key: see place.go; no data
//	embed.vector.…   one for each model; key: the record's id; data: [embed.Vector.Bytes]
package meaning

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Embedder computes vectors, as [embed.Client] does.
type Embedder interface {
	// Embed returns the vectors of at most [embed.MostTexts] texts, in their order.
	Embed(ctx context.Context, texts []string) ([]embed.Vector, error)
}

// Dialer returns the embedder for an owner's settings. It finds the server's key.
type Dialer func(owner memory.DID, s Settings) (Embedder, error)

// defaultPatience is how long a question waits for its vector.
const defaultPatience = 150 * time.Millisecond

// Options control the search.
type Options struct {
	Dial     Dialer        // required
	Patience time.Duration // how long a question waits for its vector; 0: 150 ms
}

// Service searches by meaning, and computes the vectors of records. It is safe for
// concurrent use.
type Service struct {
	kernel vault.Kernel
	dial   Dialer
	wait   time.Duration
	woken  chan struct{}

	mu     sync.Mutex
	owners map[memory.DID]*ownerState
	wrote  map[memory.DID]bool // owners with new rows
}

var _ vault.Meaning = (*Service)(nil)

// Open returns the function with which a vault opens the package.
func Open(o Options) func(vault.Kernel) vault.Meaning {
	return func(k vault.Kernel) vault.Meaning {
		return &Service{kernel: k, dial: o.Dial, wait: cmp.Or(o.Patience, defaultPatience), woken: make(chan struct{}, 1),
			owners: map[memory.DID]*ownerState{}, wrote: map[memory.DID]bool{}}
	}
}

// Of returns the service of a vault that was opened with [Open], nil of any other vault.
func Of(v *vault.Vault) *Service {
	s, _ := vault.KernelOf(v).Meaning().(*Service)
	return s
}

// ownerState is what a process knows of an owner.
type ownerState struct {
	working sync.Mutex // held by the work on the owner's records

	mu       sync.Mutex
	settings current
	checked  time.Time // when settings were read
	embedder Embedder  // nil: not opened
	rests    time.Time // no question is sent before
	failure  string    // why
	alike    map[textKey]embed.Vector

	reading sync.Mutex // held while vectors are brought up to date
	vectors vectors
}

func (s *Service) of(owner memory.DID) *ownerState {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.owners[owner]
	if o == nil {
		o = &ownerState{}
		s.owners[owner] = o
	}
	return o
}

// Drop drops what is in memory of an owner.
func (s *Service) Drop(owner memory.DID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.owners, owner)
}

// Wrote notes that an owner's rows were written, unless the owner uses no vectors.
func (s *Service) Wrote(owner memory.DID) {
	if s.isOff(owner) {
		return
	}
	s.mu.Lock()
	s.wrote[owner] = true
	s.mu.Unlock()
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// isOff reports whether an owner was found to use no vectors just now.
func (s *Service) isOff(owner memory.DID) bool {
	o := s.of(owner)
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.checked.IsZero() && !o.settings.on() && s.kernel.Now().Sub(o.checked).Abs() < recheck
}

// Woken receives a value when an owner's rows were written. [Service.Waiting] lists the
// owners.
func (s *Service) Woken() <-chan struct{} { return s.woken }

// Waiting returns the owners with new rows since the last call.
func (s *Service) Waiting() []memory.DID {
	s.mu.Lock()
	defer s.mu.Unlock()
	var owners []memory.DID
	for owner := range s.wrote {
		owners = append(owners, owner)
	}
	clear(s.wrote)
	return owners
}
