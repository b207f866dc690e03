package faketool

import (
	"net/http"
	"net/http/httptest"
)

// Kind is what goes wrong with a call.
type Kind string

// The kinds. With the zero Kind nothing goes wrong.
const (
	DropBefore   Kind = "drop_before"   // the connection breaks before the write
	DropAfter    Kind = "drop_after"    // the connection breaks after the write
	CutAnswer    Kind = "cut_answer"    // the write is done, and the answer breaks off in its middle
	HangBefore   Kind = "hang_before"   // no answer, and no write
	HangAfter    Kind = "hang_after"    // the write is done, and there is no answer
	FailBefore   Kind = "fail_before"   // 500 and no write
	FailAfter    Kind = "fail_after"    // 500 after the write
	Refuse       Kind = "refuse"        // 400 and no write
	Redirect     Kind = "redirect"      // 307 to Fault.To, or to the same tool under another name, NAME_moved
	EchoHeaders  Kind = "echo_headers"  // the answer holds the headers of the request
	AnswerAlways Kind = "answer_always" // the answer is Fault.Answer
)

// Fault is what goes wrong with the calls of a tool.
type Fault struct {
	Kind   Kind   `json:"kind"`
	Times  int    `json:"times"` // for how many calls; 0: for all
	To     string `json:"to"`    // of Redirect
	Answer string `json:"answer"`
	// Honour makes the tool write once for each idempotency key.
	Honour bool `json:"honour"`
}

// SetFault sets what goes wrong with a tool from its next call on.
func (s *Server) SetFault(name string, f Fault) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.faults[name] = &f
}

// fault returns the fault of the next call of a tool.
func (s *Server) fault(name string) Fault {
	s.lock.Lock()
	defer s.lock.Unlock()
	f := s.faults[name]
	if f == nil {
		return Fault{}
	}
	now := *f
	if f.Times > 0 {
		if f.Times--; f.Times == 0 {
			s.faults[name] = &Fault{Honour: f.Honour}
		}
	}
	return now
}

// spoil answers a call of a tool with its fault. do does the call.
func (s *Server) spoil(w http.ResponseWriter, r *http.Request, name string, f Fault, do http.Handler) {
	switch f.Kind {
	case DropBefore:
		panic(http.ErrAbortHandler)
	case DropAfter:
		do.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case CutAnswer:
		done := httptest.NewRecorder()
		do.ServeHTTP(done, r)
		cut(w, done)
	case HangBefore:
		s.hang(r)
	case HangAfter:
		do.ServeHTTP(httptest.NewRecorder(), r)
		s.hang(r)
	case FailBefore:
		http.Error(w, "it broke before the write", http.StatusInternalServerError)
	case FailAfter:
		do.ServeHTTP(httptest.NewRecorder(), r)
		http.Error(w, "it broke after the write", http.StatusInternalServerError)
	case Refuse:
		http.Error(w, "not like that", http.StatusBadRequest)
	case Redirect:
		to := f.To
		if to == "" {
			to = "/call/" + name + "_moved"
		}
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	default:
		do.ServeHTTP(w, r)
	}
}

// cut sends an answer without its end. An event of a stream gets an id before it, so that a
// client that resumes streams has what it takes to do so.
func cut(w http.ResponseWriter, done *httptest.ResponseRecorder) {
	body := done.Body.Bytes()
	for name, values := range done.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(done.Code)
	if done.Header().Get("Content-Type") == "text/event-stream" {
		_, _ = w.Write([]byte("id: 1_0\nretry: 10\ndata: \n\n")) // whoever reads it has gone if this fails
	} else {
		_, _ = w.Write(body[:len(body)/2])
	}
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// hang waits until the caller or the server gives up.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closed:
	}
	panic(http.ErrAbortHandler)
}
