// Package placetest serves places where machines meet, for tests: a folder by WebDAV, and a
// bucket by the protocol of S3. Both can fail as servers do, see [Server].
package placetest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
)

// Who may use a place.
const (
	User     = "ada"
	Password = "her-secret-77"
)

// Fault is how a server fails to answer one request.
type Fault string

// The faults.
const (
	Down  Fault = "down"  // nothing is done, the status is 503
	Deaf  Fault = "deaf"  // it is done, and the status is 500
	Unmet Fault = "unmet" // nothing is done, the status is 412
	Half  Fault = "half"  // half of a body is stored, then the connection ends
	Cut   Fault = "cut"   // the answer ends halfway
)

// Faults lists all faults.
func Faults() []Fault { return []Fault{Down, Deaf, Unmet, Half, Cut} }

// storage is what a server serves.
type storage interface {
	http.Handler
	files() map[string]string
}

// Server is a server of a place, which the test may let fail.
type Server struct {
	URL string // without a path
	storage

	mu    sync.Mutex
	fails func(*http.Request) Fault
	asked int
	on    []string // requests with a condition
}

func serve(t testing.TB, s storage) *Server {
	t.Helper()
	server := &Server{storage: s}
	listens := httptest.NewServer(server)
	t.Cleanup(listens.Close)
	server.URL = listens.URL
	return server
}

// Fail lets each request fail as fails says; an empty Fault: it does not. A nil function: none
// fails.
func (s *Server) Fail(fails func(*http.Request) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = fails
}

// Asked returns the number of requests so far.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Conditional lists the requests that depended on the state of a file, by If-Match or
// If-None-Match.
func (s *Server) Conditional() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on
}

// Files returns all files by their names, temporary ones included.
func (s *Server) Files() map[string]string { return s.files() }

// fault notes a request, and returns how it fails.
func (s *Server) fault(r *http.Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if r.Header.Get("If-Match")+r.Header.Get("If-None-Match") != "" {
		s.on = append(s.on, r.Method+" "+r.URL.Path)
	}
	if s.fails == nil {
		return ""
	}
	return s.fails(r)
}

// halved marks the context of a request whose body was cut on its way.
type halved struct{}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch s.fault(r) {
	case Down:
		w.WriteHeader(http.StatusServiceUnavailable)
	case Deaf:
		s.storage.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusInternalServerError)
	case Unmet:
		w.WriteHeader(http.StatusPreconditionFailed)
	case Half:
		body, _ := io.ReadAll(r.Body) // of a client that may have left
		half := r.Clone(context.WithValue(r.Context(), halved{}, true))
		half.Body = io.NopCloser(bytes.NewReader(body[:len(body)/2]))
		half.ContentLength = int64(len(body) / 2)
		s.storage.ServeHTTP(httptest.NewRecorder(), half)
		panic(http.ErrAbortHandler)
	case Cut:
		said := httptest.NewRecorder()
		s.storage.ServeHTTP(said, r)
		for name, values := range said.Header() {
			w.Header()[name] = values
		}
		body := said.Body.Bytes()
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		w.WriteHeader(said.Code)
		_, _ = w.Write(body[:len(body)/2]) // the connection ends
		panic(http.ErrAbortHandler)
	default:
		s.storage.ServeHTTP(w, r)
	}
}
