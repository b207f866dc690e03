package pages

import (
	"errors"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// failure is what a page says that shows nothing else: what happened, and what to do next.
type failure struct {
	status            int
	Title, Text, Next string
}

func wrongMethod() failure {
	return failure{http.StatusMethodNotAllowed, "This address takes no such request", "It belongs to a form, or only shows a page.", "Go back, and use the links and buttons of the pages."}
}

func stranger() failure {
	return failure{http.StatusForbidden, "You have left", "Nobody is let in with this browser any more, so that nothing was changed.", "Run satchel open, and try again."}
}

func foreignForm() failure {
	return failure{http.StatusForbidden, "This form is not from here", "It did not come from a page of this visit, so that nothing was changed.", "Load the page again and send its form."}
}

// failureOf is the table from kinds of errors to pages.
func failureOf(err error) failure {
	message := messageOf(err)
	switch memory.KindOf(err) {
	case memory.NotFound:
		return failure{http.StatusNotFound, "There is nothing here", "No memory and no page of yours has this address.", "It may have been erased. Search for it, or look through your memories."}
	case memory.InvalidRecord:
		return failure{http.StatusBadRequest, "This cannot be asked", sentence(message, "The address asks for something that does not exist."), "Go back and change what you asked for."}
	case memory.Unauthorized:
		return stranger()
	case memory.RateLimited:
		return failure{http.StatusTooManyRequests, "Too many requests", "This server answers only so many requests at once.", "Wait a moment, then load the page again."}
	case memory.Unsupported:
		return failure{http.StatusNotImplemented, "This server cannot do that", sentence(message, "It was started without it."), "Use the command line."}
	case memory.ForbiddenScope, memory.ConsentViolation:
		return failure{http.StatusForbidden, "This is not allowed", sentence(message, ""), "Use the command line on the machine of the store."}
	case memory.SignatureInvalid:
		return failure{http.StatusConflict, "This memory is not as it was signed", "Somebody changed it outside of satchel, so that it is not shown.", "Run satchel doctor, which says what to do."}
	}
	what, next := said(message)
	if memory.IsTemporary(err) {
		return failure{http.StatusServiceUnavailable, "The store does not answer", sentence(what, "It is busy, or cannot be reached."), "Wait a moment, then load the page again."}
	}
	if next == "" {
		next = "Run satchel doctor, which finds most faults"
	}
	return failure{http.StatusInternalServerError, "This does not work", sentence(what, "The log of the server says what happened."), sentence(next, "")}
}

// said divides what the store says into what is wrong and what to do, "" if it does not say.
func said(message string) (what, next string) {
	at := strings.IndexAny(message, ":;")
	if at < 0 {
		return capital(message), ""
	}
	return capital(message[:at]), capital(strings.TrimSpace(message[at+1:]))
}

// after adds what becomes of what a person wrote in the form that failed: browsers keep it.
func (f failure) after(r *http.Request) failure {
	const back = "go back: what you typed is still there, to be sent again."
	switch {
	case r.Method != http.MethodPost:
	case f.status == http.StatusServiceUnavailable:
		f.Next = "Wait a moment, then " + back
	default:
		f.Next += " Then " + back
	}
	return f
}

// messageOf returns what an error says to people, "" if it says nothing.
func messageOf(err error) string {
	if e, ok := errors.AsType[*memory.Error](err); ok {
		return e.Message
	}
	return ""
}

// sentence returns a message, or another text if there is none.
func sentence(message, otherwise string) string {
	if message == "" {
		return otherwise
	}
	return message + "."
}

// failed is what a page of a failure shows.
type failed struct {
	frame
	What, Text, Next string
}

// failedPage returns the page of a failure. It is not live: pages for what is not there are
// alike, whatever happens meanwhile.
func failedPage(f frame, what failure) failed {
	f.Live = false
	return failed{f, what.Title, what.Text, what.Next}
}

// fail answers with the page for an error, in the frame of the visitor's pages.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	f := failureOf(err)
	if f.status >= http.StatusInternalServerError {
		h.options.Report(r, err)
		f = f.after(r)
	}
	h.show(w, r, f.status, "failure", failedPage(h.frame(r, v, f.Title, ""), f))
}

// refuse answers with a page that is the same for everybody.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, f failure) {
	h.show(w, r, f.status, "failure", failedPage(h.frame(r, visitor{}, f.Title, ""), f))
}

// WriteError answers a request that did not get as far as a page, with the page for err.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	secureHeaders(w.Header())
	f := failureOf(err)
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Kind == memory.ForbiddenScope { // by Host or Origin
		f.Text, f.Next = sentence(e.Message, ""), "Open the pages by the address that satchel open prints."
	}
	if f.status >= http.StatusInternalServerError {
		f = f.after(r)
	}
	_ = write(w, r, f.status, "failure", failedPage(frame{Title: f.Title}, f)) // the template is sound
}
