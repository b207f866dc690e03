package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/pairing"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/memory"
)

// Machines lets the owners' other machines meet this one. The zero value lets none.
type Machines struct {
	// Answer answers a pack of one of an owner's machines. It fails with kind NotFound for an
	// owner without machines, and with a [replica.Fault] for a pack that nothing can be done
	// with. nil: the server offers no route.
	Answer func(ctx context.Context, owner memory.DID, pack []byte) ([]byte, error)
	// Pairing returns where on this machine a pairing is answered just now, as HOST:PORT;
	// empty: nowhere.
	Pairing func() string
	// Fleet tells the pages an owner's machines; nil: there are none.
	Fleet func(ctx context.Context, c memory.Caller) (pages.Fleet, error)

	slots   *slotPool                // for answers
	large   *ownerTurns              // for large packs that arrive
	reached func(*http.Request) bool // nobody between can read a request
	refused func(*http.Request, memory.ErrorKind)
}

// withDefaults prepares the routes. They get functions instead of calling them, since those
// look at the table of routes.
func (m Machines) withDefaults(o Options) Machines {
	reached := o.pagesOptions()
	m.slots, m.large, m.refused = newSlotPool(maxAnswers, 1), newOwnerTurns("", maxAnswers), o.reportRefusal
	m.reached = func(r *http.Request) bool { _, _, ok := reached.Reached(r); return ok }
	return m
}

// maxAnswers is how many machines are answered at once, one for each address, and how many
// large packs arrive at once.
const maxAnswers = 4

// machineRoutes are the routes for other machines of an owner.
func machineRoutes() httpkit.Table[*server] {
	pack := []httpkit.Content{{Media: peer.Media}}
	on := func(s *server) bool { return s.options.Machines.Answer != nil }
	return httpkit.Table[*server]{
		{Operation: httpkit.Operation{Name: "sync", Method: http.MethodPost, Path: peer.Path, Who: httpkit.Everyone, Summary: "Two machines of an owner exchange what they have",
			Text: "The body is a pack: encrypted to this machine, and signed by one that takes part. Nothing else lets a machine in. The answer is a pack for that machine. Needs TLS, or this machine.",
			In:   []httpkit.Parameter{httpkit.Header(peer.OwnerHeader, "The owner's DID. Default: the owner of the server.", "")},
			Body: pack, Out: []httpkit.Answer{{Status: 200, Text: "What the other machine lacks.", Body: pack}}, Fails: []int{400, 403, 404, 413, 429}}, Do: (*server).meet, On: on},
		{Operation: httpkit.Operation{Name: "pair", Method: http.MethodPost, Path: pairing.Path, Who: httpkit.Everyone, Summary: "A machine joins by the code that satchel pair shows",
			Text: "The server passes the request on to the running satchel pair, which proves by OPAQUE (RFC 9807) that both know the code. Needs TLS, or this machine.",
			Body: httpkit.JSON("Pairing"), Out: []httpkit.Answer{httpkit.Done(200, "The next step.", "Pairing")}, Refused: httpkit.JSON("Pairing"), Fails: []int{400, 403, 404, 413, 429}}, Do: (*server).pass, On: on},
	}
}

// errUnsafe refuses requests that others could read on their way.
func errUnsafe() error {
	return &memory.Error{Kind: memory.ForbiddenScope, Message: "machines meet over TLS: start satchel serve with --tls-cert and --tls-key, or name the proxy that speaks TLS with --origin https://NAME"}
}

// errBusy asks to come again.
func errBusy() error {
	return &memory.Error{Kind: memory.RateLimited, Message: "other machines are being answered; ask again in a moment"}
}

// answerSlot takes a slot for an answer to a request that has arrived.
func (s *server) answerSlot(r *http.Request) (leave func(), err error) {
	leave, ok := s.options.Machines.slots.enter(identityOf(r).address)
	if !ok {
		return nil, errBusy()
	}
	return leave, nil
}

// largeTurn waits for a turn at receiving a large pack: one for each address. Requests from
// this machine have a turn each, since a proxy may pass them on for anybody.
func (s *server) largeTurn(r *http.Request) (leave func(), err error) {
	sender := identityOf(r).address
	if !isRemote(sender) {
		sender = noteOf(r).id
	}
	leave, ok := s.options.Machines.large.wait(r.Context(), memory.DID(sender))
	if !ok {
		return nil, errBusy()
	}
	return leave, nil
}

// meet answers another machine of an owner.
func (s *server) meet(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	if !s.options.Machines.reached(r) {
		return errUnsafe()
	}
	pack, leave, err := peer.Receive(w, r, s.options.ReadTimeout, func() (func(), error) { return s.largeTurn(r) })
	defer leave()
	var answer []byte
	if err == nil {
		answer, err = s.answerPack(r, pack)
	}
	if fault, ok := errors.AsType[replica.Fault](err); ok {
		s.options.Machines.refused(r, memory.ForbiddenScope)
		peer.Refuse(w, fault)
		return nil
	}
	if err != nil {
		return err
	}
	httpkit.Send(w, http.StatusOK, peer.Media, answer)
	return nil
}

func (s *server) answerPack(r *http.Request, pack []byte) ([]byte, error) {
	leave, err := s.answerSlot(r)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.options.Machines.Answer(r.Context(), s.options.ownerOf(r), pack)
}

// ownerOf returns the owner whose machines meet.
func (o Options) ownerOf(r *http.Request) memory.DID {
	if named := r.Header.Get(peer.OwnerHeader); named != "" {
		return memory.DID(named)
	}
	return o.Owner
}

// pass hands a request to the pairing on this machine, and its answer back.
func (s *server) pass(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	if !s.options.Machines.reached(r) {
		return errUnsafe()
	}
	at := s.options.Machines.Pairing()
	if at == "" {
		return &memory.Error{Kind: memory.NotFound, Message: "no pairing is under way here: start satchel pair --through on this machine"}
	}
	body, err := httpkit.NewBody(r, pairing.MaxBody).Within(s.options.ReadTimeout, w, time.Now).Bytes()
	if errors.Is(err, httpkit.ErrTooLarge) {
		return &memory.Error{Kind: memory.InvalidRecord, Message: "this is no message of a pairing"}
	}
	if err != nil {
		return err
	}
	leave, err := s.answerSlot(r)
	if err != nil {
		return err
	}
	defer leave()
	ctx, done := context.WithTimeout(r.Context(), time.Minute)
	defer done()
	on, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at+pairing.Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := direct().RoundTrip(on)
	if err != nil {
		return &memory.Error{Kind: memory.NotFound, Message: "the pairing on this machine has ended", Err: err}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, pairing.MaxBody))
	if err != nil {
		return err
	}
	httpkit.Send(w, response.StatusCode, "application/json", answer)
	return nil
}

// direct goes to this machine, and asks no proxy.
func direct() http.RoundTripper { return &http.Transport{DisableKeepAlives: true} }
