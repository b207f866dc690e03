package httpkit

import (
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Door is what the options of every binding begin with: who is let in, and who hears of
// it when something goes wrong. The zero Door lets nobody in.
type Door struct {
	// Authenticate says who asks, or fails with an error of kind Unauthorized, or with
	// one of the binding's own. nil: nobody is let in.
	Authenticate func(*http.Request) (memory.Caller, error)
	// Refused is told of requests that the binding turns away because of who sent them.
	// nil: nobody is told.
	Refused func(*http.Request, memory.ErrorKind)
	// Report receives the cause of every answer that hides one, and of those that broke
	// off. nil: causes are dropped.
	Report func(*http.Request, error)
	// Now tells the time; nil: it is always the zero time, and nothing that takes long is
	// cut off.
	Now func() time.Time
}

// Filled returns a door with something in every place that is empty.
func Filled(d Door) Door {
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
