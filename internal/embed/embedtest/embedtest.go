// Package embedtest serves vectors over OpenAI's interface for tests. A fixed table says
// which words mean something similar; the server misbehaves on request.
package embedtest

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// Dim is the number of components of the server's vectors.
const Dim = 128

// Key is the key that a server with [Server.Keyed] asks for.
const Key = "sk-embedtest-2f61c0"

// concepts returns the table: words, and what they mean. A word that is not in it means
// itself.
func concepts() map[string]string {
	return map[string]string{
		"poodle": "poodle dog animal pet", "dog": "dog animal pet", "puppy": "dog animal pet young", "pet": "pet animal", "animal": "animal",
		"trout": "trout fish animal", "fish": "fish animal", "hound": "dog animal",
		"car": "car vehicle", "automobile": "car vehicle", "vehicle": "vehicle", "vehicles": "vehicle", "volvo": "car vehicle", "volvos": "car vehicle",
		"physician": "doctor medicine", "cardiologist": "doctor medicine", "doctor": "doctor medicine", "medicine": "medicine", "medical": "medicine",
		"purchased": "buy", "bought": "buy", "acquired": "buy",
		"cello": "cello instrument music", "instrument": "instrument music", "music": "music", "musical": "music",
		"allergic": "allergy", "allergy": "allergy", "intolerance": "allergy", "peanuts": "peanuts nuts food", "nuts": "nuts food", "food": "food",
		"the": "", "a": "", "an": "", "i": "", "my": "", "is": "", "of": "", "to": "", "what": "", "which": "", "do": "", "does": "", "have": "", "has": "",
		"own": "", "play": "", "plays": "", "was": "", "in": "", "who": "", "any": "", "me": "", "for": "", "named": "", "called": "", "and": "",
		"lives": "", "with": "", "us": "", "are": "", "ours": "", "must": "", "be": "", "there": "", "anything": "", "on": "", "about": "", "when": "",
	}
}

// Fault is a way in which a server misbehaves.
type Fault string

// The faults.
const (
	Silent    Fault = "silent"    // it never answers
	Broken    Fault = "broken"    // status 500
	Refusing  Fault = "refusing"  // status 401
	Shorter   Fault = "shorter"   // vectors of another length
	Garbage   Fault = "garbage"   // no JSON
	Truncated Fault = "truncated" // half of an answer
	Huge      Fault = "huge"      // an answer without end
	Elsewhere Fault = "elsewhere" // a redirect to another host
	Fewer     Fault = "fewer"     // a vector too few
	Zero      Fault = "zero"      // vectors of zeros
)

// Server is a server of vectors.
type Server struct {
	URL string // without /v1

	mu    sync.Mutex
	fault Fault
	keyed bool
	limit int
	left  int // calls before it falls silent; 0: it does not
	texts []string
	calls int
	stop  chan struct{}
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	s := &Server{stop: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", s.embed)
	server := httptest.NewServer(mux)
	s.URL = server.URL
	t.Cleanup(func() { close(s.stop); server.Close() })
	return s
}

// Misbehave makes the server misbehave; "": no longer.
func (s *Server) Misbehave(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Keyed makes the server ask for Key.
func (s *Server) Keyed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keyed = true
}

// Limit makes the server refuse texts of more bytes with status 400.
func (s *Server) Limit(bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = bytes
}

// FallSilent makes the server fall silent after some more calls.
func (s *Server) FallSilent(calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = calls + 1
}

// Texts returns the texts that the server has received.
func (s *Server) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.texts...)
}

// Calls returns how often the server was asked.
func (s *Server) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil || json.Unmarshal(data, &asked) != nil || asked.Model == "" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.calls++
	s.texts = append(s.texts, asked.Input...)
	if s.left > 0 {
		if s.left--; s.left == 0 {
			s.fault = Silent
		}
	}
	fault, keyed, limit := s.fault, s.keyed, s.limit
	s.mu.Unlock()
	if keyed && r.Header.Get("Authorization") != "Bearer "+Key {
		fault = Refusing
	}
	for _, text := range asked.Input {
		if limit > 0 && len(text) > limit {
			http.Error(w, "too long: "+text, http.StatusBadRequest)
			return
		}
	}
	s.answer(w, r, fault, asked.Input)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, fault Fault, texts []string) {
	dim := Dim
	switch fault {
	case Silent:
		select {
		case <-r.Context().Done():
		case <-s.stop:
		}
		return
	case Broken:
		http.Error(w, "broken: "+r.Header.Get("Authorization"), http.StatusInternalServerError)
		return
	case Refusing:
		http.Error(w, "refused: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		return
	case Garbage:
		io.WriteString(w, "<html>hello</html>")
		return
	case Elsewhere:
		http.Redirect(w, r, "http://192.0.2.1/v1/embeddings", http.StatusTemporaryRedirect)
		return
	case Huge:
		for filler := []byte(strings.Repeat(" ", 1<<16)); ; {
			if _, err := w.Write(filler); err != nil {
				return
			}
		}
	case Shorter:
		dim = Dim - 1
	case Fewer:
		texts = texts[1:]
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	items := []item{}
	for i := len(texts) - 1; i >= 0; i-- { // in another order than asked: index counts
		v := Vector(texts[i])[:dim]
		if fault == Zero {
			clear(v)
		}
		items = append(items, item{i, v})
	}
	data, err := json.Marshal(map[string]any{"object": "list", "data": items})
	if err != nil {
		return
	}
	if fault == Truncated {
		data = data[:len(data)/2]
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}

// Vector returns the vector of a text: the sum of those of what its words mean.
func Vector(text string) []float64 {
	table, v, meant := concepts(), make([]float64, Dim), 0.0
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		meanings, known := table[word]
		if !known {
			meanings = word
		}
		for _, m := range strings.Fields(meanings) {
			add(v, m, 1)
			meant++
		}
	}
	add(v, "any text", common*math.Sqrt(max(meant, 1)))
	return v
}

// common is the part of each vector that all texts share, as with real models.
const common = .4

// add adds the vector of a meaning, whose components are weight or -weight.
func add(v []float64, meaning string, weight float64) {
	h := fnv.New64a()
	io.WriteString(h, meaning)
	seed := h.Sum64()
	for i := range v {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		v[i] += weight * (float64(seed>>62&1)*2 - 1)
	}
}
