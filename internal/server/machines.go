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

// Machines lets the server answer the owners' other machines. The zero value offers no routes.
type Machines struct {
	// Answer answers a pack of one of an owner's machines. It fails with kind NotFound for an
	// owner without machines, and with a [replica.Fault] for a pack that is refused. nil: the
	// server offers no routes.
	Answer func(ctx context.Context, owner memory.DID, pack []byte) ([]byte, error)
	// Pairing returns the address of satchel pair on this machine, as HOST:PORT; empty: it does
	// not run. Required with Answer.
	Pairing func() string
	// Fleet returns an owner's machines and remotes for the pages; nil: there are none.
	Fleet func(ctx context.Context, c memory.Caller) (pages.Fleet, error)

	slots   *slotPool                // for answers
	large   *ownerTurns              // for reading large packs
	reached func(*http.Request) bool // the request came over TLS, or from this machine
	refused func(*http.Request, memory.ErrorKind)
}

// withDefaults sets what the routes need. They cannot call these methods of Options themselves:
// the methods read the table of routes.
func (m Machines) withDefaults(o Options) Machines {
	reached := o.pagesOptions()
	m.slots, m.large, m.refused = newSlotPool(maxAnswers, 1), newOwnerTurns("", maxAnswers), o.reportRefusal
	m.reached = func(r *http.Request) bool { _, _, ok := reached.Reached(r); return ok }
	return m
}

// maxAnswers is how many machines are answered at once, one for each address. As many large
// packs are read at once.
const maxAnswers = 4

// machineRoutes returns the routes for other machines of an owner.
func machineRoutes() httpkit.Table[*server] {
	pack := []httpkit.Content{{Media: peer.Media}}
	on := func(s *server) bool { return s.options.Machines.Answer != nil }
	return httpkit.Table[*server]{
		{Operation: httpkit.Operation{Name: "sync", Method: http.MethodPost, Path: peer.Path, Who: httpkit.Everyone, Summary: "Two machines of an owner exchange what they have",
			Text: "The body is a pack: encrypted to this machine, and signed by one that takes part. Nothing else lets a machine in. The answer is a pack for that machine. Needs TLS, or this machine.",
			In:   []httpkit.Parameter{httpkit.Header(peer.OwnerHeader, "The owner's DID. Default: the owner of the server.", "")},
			Body: pack, Out: []httpkit.Answer{{Status: 200, Text: "What the other machine lacks.", Body: pack}}, Fails: []int{400, 403, 404, 413, 429}}, Do: (*server).syncMachine, On: on},
		{Operation: httpkit.Operation{Name: "pair", Method: http.MethodPost, Path: pairing.Path, Who: httpkit.Everyone, Summary: "A machine joins by the code that satchel pair shows",
			Text: "The server passes the request on to the running satchel pair, which proves by OPAQUE (RFC 9807) that both know the code. Needs TLS, or this machine.",
			Body: httpkit.JSON("Pairing"), Out: []httpkit.Answer{httpkit.Done(200, "The next step.", "Pairing")}, Refused: httpkit.JSON("Pairing"), Fails: []int{400, 403, 404, 413, 429}}, Do: (*server).forwardPairing, On: on},
	}
}

// errUnsafe refuses a request that others could have read.
func errUnsafe() error {
	return &memory.Error{Kind: memory.ForbiddenScope, Message: "machines meet over TLS: start satchel serve with --tls-cert and --tls-key, or name the proxy that speaks TLS with --origin https://NAME"}
}

// errBusy refuses a request while too many are answered.
func errBusy() error {
	return &memory.Error{Kind: memory.RateLimited, Message: "other machines are being answered; ask again in a moment"}
}

// answerSlot takes a slot for an answer, without waiting. The caller calls leave.
func (s *server) answerSlot(r *http.Request) (leave func(), err error) {
	leave, ok := s.options.Machines.slots.enter(identityOf(r).address)
	if !ok {
		return nil, errBusy()
	}
	return leave, nil
}

// largeTurn waits for a turn to read a large pack. An address has one turn at a time. Each
// request from this machine counts as an address of its own: a proxy here may forward requests
// of anybody.
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

// syncMachine answers a request of another machine of an owner.
func (s *server) syncMachine(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
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

// answerPack answers a pack that was read.
func (s *server) answerPack(r *http.Request, pack []byte) ([]byte, error) {
	leave, err := s.answerSlot(r)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.options.Machines.Answer(r.Context(), s.options.ownerOf(r), pack)
}

// ownerOf returns the owner that a request of a machine names, or the owner of the server.
func (o Options) ownerOf(r *http.Request) memory.DID {
	if named := r.Header.Get(peer.OwnerHeader); named != "" {
		return memory.DID(named)
	}
	return o.Owner
}

// forwardPairing forwards a request to satchel pair on this machine, and returns its answer.
func (s *server) forwardPairing(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	if !s.options.Machines.reached(r) {
		return errUnsafe()
	}
	at := s.options.Machines.Pairing()
	if at == "" {
		return &memory.Error{Kind: memory.NotFound, Message: "no pairing is under way here: start satchel pair --through on this machine"}
	}
	body, err := httpkit.NewBody(r, pairing.MaxRequest).Within(s.options.ReadTimeout, w, time.Now).Bytes()
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
	answer, err := io.ReadAll(io.LimitReader(response.Body, pairing.MaxAnswer))
	if err != nil {
		return err
	}
	httpkit.Send(w, response.StatusCode, "application/json", answer)
	return nil
}

// direct returns a transport without proxy.
func direct() http.RoundTripper { return &http.Transport{DisableKeepAlives: true} }
