package pairing

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/bytemare/opaque"
	"github.com/bytemare/opaque/message"
)

// Lasts is how long a code is good, and maxTries how often it is answered.
const (
	Lasts    = 10 * time.Minute
	maxTries = 3
)

// HostOptions say what a host gives. All are required.
type HostOptions struct {
	Now func() time.Time
	// Give returns what the new machine gets for its offer. It writes nothing yet.
	Give func(ctx context.Context, offer []byte) (gift []byte, err error)
	// Confirmed writes what the pairing changes here. The new machine has the gift, and
	// keeps it once it hears that Confirmed succeeded. It may be called again after it failed.
	Confirmed func(ctx context.Context, offer []byte) error
}

// Host answers the machine on which its code is typed. It is an http.Handler for the route
// [Path], and safe for concurrent use.
type Host struct {
	options HostOptions
	config  *opaque.Configuration
	record  *opaque.ClientRecord // of the code
	secret  []byte               // of the host, for this code
	public  []byte
	seed    []byte
	ends    time.Time

	mu       sync.Mutex
	attempts map[string]*attempt
	spent    *attempt // the one that knew the code
	done     chan struct{}
	err      error // why the host ended; nil: a machine was paired
}

// attempt is a try with the code.
type attempt struct {
	server   *opaque.Server
	ke1, ke2 []byte
	failed   bool
	channel  channel
	sent     []byte // the request whose answer is gift
	offer    []byte
	gift     []byte // sealed
	over     bool   // it was confirmed
}

// NewHost returns a host whose code is good from now on.
func NewHost(code Code, o HostOptions) (*Host, error) {
	h := &Host{options: o, config: exchange(), ends: o.Now().Add(Lasts), attempts: map[string]*attempt{}, done: make(chan struct{})}
	h.secret, h.public = h.config.KeyGen()
	h.seed = h.config.GenerateOPRFSeed()
	client, err := h.config.Client()
	if err != nil {
		return nil, err
	}
	server, err := h.newServer()
	if err != nil {
		return nil, err
	}
	public, err := server.Deserialize.DecodeAkePublicKey(h.public)
	if err != nil {
		return nil, err
	}
	asked := client.RegistrationInit([]byte(code))
	record, _ := client.RegistrationFinalize(server.RegistrationResponse(asked, public, credential[:], h.seed))
	h.record = &opaque.ClientRecord{CredentialIdentifier: credential[:], RegistrationRecord: record}
	return h, nil
}

func (h *Host) newServer() (*opaque.Server, error) {
	server, err := h.config.Server()
	if err != nil {
		return nil, err
	}
	return server, server.SetKeyMaterial(nil, h.secret, h.public, h.seed)
}

// Wait waits for the end: nil if a machine was paired, [ErrOver] or the context's error
// otherwise.
func (h *Host) Wait(ctx context.Context) error {
	timer := time.NewTicker(time.Second / 4)
	defer timer.Stop()
	for {
		select {
		case <-h.done:
			return h.err
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			h.mu.Lock()
			if !h.options.Now().Before(h.ends) {
				h.end(ErrOver)
			}
			h.mu.Unlock()
		}
	}
}

// end ends the host once.
func (h *Host) end(err error) {
	select {
	case <-h.done:
	default:
		h.err = err
		close(h.done)
	}
}

// ServeHTTP answers one request.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		send(w, http.StatusMethodNotAllowed, answer{Error: &refusal{"malformed", "POST a message of a pairing"}})
		return
	}
	var asked request
	err := decode(r.Body, &asked)
	var out answer
	if err == nil {
		out, err = h.answer(r.Context(), asked)
	}
	if err == nil {
		send(w, http.StatusOK, out)
		return
	}
	for code, kind := range codes() {
		if errors.Is(err, kind) {
			status := http.StatusForbidden
			if code == "malformed" {
				status = http.StatusBadRequest
			}
			send(w, status, answer{Error: &refusal{code, kind.Error()}})
			return
		}
	}
	send(w, http.StatusInternalServerError, answer{Error: &refusal{"failed", "the other machine could not do its part, and says why"}})
}

func send(w http.ResponseWriter, status int, a answer) {
	data, _ := json.Marshal(a) // of plain members
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(data) // who went away asks again
}

func (h *Host) answer(ctx context.Context, asked request) (answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if asked.Step == "hello" {
		return h.hello(asked)
	}
	a := h.attempts[asked.Attempt]
	if a == nil {
		return answer{}, ErrOver
	}
	switch asked.Step {
	case "offer":
		return h.offer(ctx, a, asked)
	case "confirm":
		return h.confirm(ctx, a, asked)
	case "leave":
		h.fail(a)
		return answer{}, nil
	}
	return answer{}, errMalformed
}

// hello answers a try. Its answer allows one guess, so that it counts.
func (h *Host) hello(asked request) (answer, error) {
	if h.spent != nil || len(h.attempts) >= maxTries || !h.options.Now().Before(h.ends) {
		return answer{}, ErrOver
	}
	server, err := h.newServer()
	if err != nil {
		return answer{}, err
	}
	ke1, err := server.Deserialize.KE1(asked.Proof)
	if err != nil {
		return answer{}, errMalformed
	}
	ke2, err := server.LoginInit(ke1, h.record)
	if err != nil {
		return answer{}, err
	}
	a := &attempt{server: server, ke1: asked.Proof, ke2: ke2.Serialize()}
	id := rand.Text()
	h.attempts[id] = a
	return answer{Attempt: id, Proof: a.ke2}, nil
}

// fail ends a try that did not know the code, and the host after the last try.
func (h *Host) fail(a *attempt) {
	if h.spent == a {
		return
	}
	a.failed = true
	failed := 0
	for _, each := range h.attempts {
		if each.failed {
			failed++
		}
	}
	if failed == maxTries {
		h.end(ErrOver)
	}
}

// offer takes the offer of a machine that knows the code, and answers the gift.
func (h *Host) offer(ctx context.Context, a *attempt, asked request) (answer, error) {
	switch {
	case h.spent == a && a.gift != nil && subtle.ConstantTimeCompare(a.sent, asked.Sealed) == 1: // the answer was lost
		return answer{Sealed: a.gift}, nil
	case h.spent != nil || a.failed || !h.options.Now().Before(h.ends):
		return answer{}, ErrOver
	}
	ke3, err := a.server.Deserialize.KE3(asked.Proof)
	if err == nil {
		err = a.server.LoginFinish(&message.KE3{Mac: ke3.Mac})
	}
	if err != nil {
		h.fail(a)
		return answer{}, ErrCode
	}
	a.channel = newChannel(a.server.SessionKey(), a.ke1, a.ke2, asked.Proof)
	offer, err := a.channel.open(offerLabel, asked.Sealed)
	if err != nil {
		h.fail(a)
		return answer{}, err
	}
	h.spent, a.sent, a.offer = a, asked.Sealed, offer
	gift, err := h.options.Give(ctx, offer)
	if err == nil {
		a.gift, err = a.channel.seal(giftLabel, gift)
	}
	if err != nil {
		h.end(err)
	}
	return answer{Sealed: a.gift}, err
}

// confirm writes what the pairing changes here, and says so.
func (h *Host) confirm(ctx context.Context, a *attempt, asked request) (answer, error) {
	if h.spent != a || a.gift == nil {
		return answer{}, ErrOver
	}
	if _, err := a.channel.open(confirmLabel, asked.Sealed); err != nil {
		return answer{}, err
	}
	if !a.over {
		if err := h.options.Confirmed(ctx, a.offer); err != nil {
			return answer{}, err
		}
		a.over = true
		h.end(nil)
	}
	sealed, err := a.channel.seal(endLabel, nil)
	return answer{Sealed: sealed}, err
}
