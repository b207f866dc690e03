package faketool

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Count is how often a tool was called.
type Count struct {
	Calls  int            `json:"calls"`
	Writes int            `json:"writes"`
	Keys   map[string]int `json:"keys"` // calls by idempotency key
}

// Request is a request that arrived.
type Request struct {
	Method, Path, Query string // Path as it was sent, with its escapes
	Header              http.Header
	Body                string
}

// Server is an [http.Handler] of tools. It is safe for concurrent use.
type Server struct {
	lock     sync.Mutex
	counts   map[string]*Count
	faults   map[string]*Fault
	written  map[string]bool // name and key of writes
	requests map[string][]Request
	mcp      http.Handler
	routes   *http.ServeMux
	closed   chan struct{}
}

const (
	mostBody     = 4 << 20
	mostRequests = 1000 // kept for each tool
)

// New returns a Server without faults.
func New() *Server {
	s := &Server{counts: map[string]*Count{}, faults: map[string]*Fault{}, written: map[string]bool{}, requests: map[string][]Request{},
		routes: http.NewServeMux(), closed: make(chan struct{})}
	shared := mcpServer(s.write)
	s.mcp = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return shared }, nil)
	s.routes.HandleFunc("/call/{name}", s.call)
	s.routes.HandleFunc("/call/{name}/{rest...}", s.call)
	s.routes.HandleFunc("/mcp", s.callMCP)
	s.routes.HandleFunc("GET /counts", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(s.Counts()) // a caller that has gone wants no counts
	})
	s.routes.HandleFunc("PUT /faults/{name}", func(w http.ResponseWriter, r *http.Request) {
		var f Fault
		if err := json.NewDecoder(io.LimitReader(r.Body, mostBody)).Decode(&f); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.SetFault(r.PathValue("name"), f)
	})
	return s
}

// Close lets the calls that hang end.
func (s *Server) Close() { close(s.closed) }

// ServeHTTP serves the tools and their counts.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// Counts returns how often each tool was called.
func (s *Server) Counts() map[string]Count {
	s.lock.Lock()
	defer s.lock.Unlock()
	all := map[string]Count{}
	for name, c := range s.counts {
		keys := map[string]int{}
		for key, n := range c.Keys {
			keys[key] = n
		}
		all[name] = Count{c.Calls, c.Writes, keys}
	}
	return all
}

// Requests returns the requests of a tool, in the order in which they arrived. Those to
// the MCP server are all under the name mcp.
func (s *Server) Requests(name string) []Request {
	s.lock.Lock()
	defer s.lock.Unlock()
	return append([]Request(nil), s.requests[name]...)
}

// count returns the counts of a tool. The caller holds the lock.
func (s *Server) count(name string) *Count {
	if s.counts[name] == nil {
		s.counts[name] = &Count{Keys: map[string]int{}}
	}
	return s.counts[name]
}

// arrive counts a call.
func (s *Server) arrive(name, key string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	c := s.count(name)
	c.Calls++
	if key != "" {
		c.Keys[key]++
	}
}

// keep keeps a request, and returns its body.
func (s *Server) keep(name string, r *http.Request) []byte {
	body, _ := io.ReadAll(io.LimitReader(r.Body, mostBody)) // a body that breaks off is kept as far as it came
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.requests[name]) < mostRequests {
		s.requests[name] = append(s.requests[name], Request{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Clone(), string(body)})
	}
	return body
}

// write writes, unless the tool honours idempotency keys and has seen this one. It returns
// the number of writes.
func (s *Server) write(name, key string) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	c := s.count(name)
	f := s.faults[name]
	mark := name + "\x00" + key
	if key == "" || f == nil || !f.Honour || !s.written[mark] {
		c.Writes++
	}
	s.written[mark] = true
	return c.Writes
}

// call serves a call of an HTTP tool.
func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	key := r.Header.Get("Idempotency-Key")
	s.arrive(name, key)
	body := s.keep(name, r)
	f := s.fault(name)
	s.spoil(w, r, name, f, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.writes(name)
		if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions {
			n = s.write(name, key)
		}
		w.Header().Set("Content-Type", "application/json")
		answer := map[string]any{"tool": name, "writes": n, "got": string(body)}
		switch f.Kind {
		case EchoHeaders:
			answer["headers"] = r.Header
		case AnswerAlways:
			_, _ = io.WriteString(w, f.Answer) // a caller that has gone reads nothing
			return
		}
		_ = json.NewEncoder(w).Encode(answer) // a caller that has gone reads nothing
	}))
}

// writes returns the number of writes so far.
func (s *Server) writes(name string) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.count(name).Writes
}
