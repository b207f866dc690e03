package httpkit

import (
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// BaseOptions is the first part of every binding's options: it authenticates callers and reports
// failures. The zero BaseOptions refuses every caller.
type BaseOptions struct {
	// Authenticate returns the caller, or fails with an error of kind Unauthorized or one
	// of the binding's own. nil: every request is refused.
	Authenticate func(*http.Request) (memory.Caller, error)
	// Refused is called for requests that the binding refuses because of their sender. nil:
	// no call.
	Refused func(*http.Request, memory.ErrorKind)
	// Report receives the cause of every answer that hides one, and of every answer that
	// broke off. nil: causes are dropped.
	Report func(*http.Request, error)
	// Now tells the time; nil: it is always the zero time, and long requests are never cut
	// off.
	Now func() time.Time
}

// Filled returns options with a default for every nil function.
func Filled(d BaseOptions) BaseOptions {
	if d.Authenticate == nil {
		d.Authenticate = func(*http.Request) (memory.Caller, error) {
			return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized, Message: "nobody can sign in here"}
		}
	}
	if d.Refused == nil {
		d.Refused = func(*http.Request, memory.ErrorKind) {}
	}
	if d.Report == nil {
		d.Report = func(*http.Request, error) {}
	}
	if d.Now == nil {
		d.Now = func() time.Time { return time.Time{} }
	}
	return d
}
