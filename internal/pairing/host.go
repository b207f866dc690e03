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

const (
	Lasts    = 10 * time.Minute // how long a code is good
	maxTries = 3                // tries with one code
)

// HostOptions configure a host. All fields are required.
type HostOptions struct {
	Now func() time.Time
	// Secret returns the secret for a machine that knows the code and made this offer. It
	// stores nothing. If it fails, the host ends with its error.
	Secret func(ctx context.Context, offer []byte) (secret []byte, err error)
	// Confirmed stores that the machine takes part. It is called when the machine has the
	// secret. The machine keeps the secret only if Confirmed succeeds. It may be called again
	// after it failed.
	Confirmed func(ctx context.Context, offer []byte) error
}

// Host answers the machine whose user types the code. It is an http.Handler for the route
// [Path], and safe for concurrent use.
type Host struct {
	options HostOptions
	config  *opaque.Configuration
	record  *opaque.ClientRecord // of the code
	private []byte               // the host's key pair, for this code only
	public  []byte
	seed    []byte
	ends    time.Time

	mu       sync.Mutex
	attempts map[string]*attempt
	admitted *attempt // the try that knew the code; nil: none yet
	done     chan struct{}
	err      error // result of Wait
}

// attempt is one try with the code.
type attempt struct {
	server      *opaque.Server
	ke1, ke2    []byte
	failed      bool
	channel     channel
	sealedOffer []byte // the same offer again gets the same secret
	offer       []byte
	secret      []byte // sealed
	confirmed   bool   // HostOptions.Confirmed succeeded
}

// NewHost returns a host whose code is good from now on, for [Lasts].
func NewHost(code Code, o HostOptions) (*Host, error) {
	h := &Host{options: o, config: exchange(), ends: o.Now().Add(Lasts), attempts: map[string]*attempt{}, done: make(chan struct{})}
	h.private, h.public = h.config.KeyGen()
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
	return server, server.SetKeyMaterial(nil, h.private, h.public, h.seed)
}

// Wait waits until a machine is paired, and returns nil. It fails with [ErrOver] if the code is
// good no more, with the error of HostOptions.Secret, or with that of ctx.
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

// end ends the host with an error or nil. Later calls do nothing.
func (h *Host) end(err error) {
	select {
	case <-h.done:
	default:
		h.err = err
		close(h.done)
	}
}

// ServeHTTP answers one request of a pairing.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		send(w, http.StatusMethodNotAllowed, answer{Error: &refusal{"malformed", "POST a message of a pairing"}})
		return
	}
	var asked request
	err := decode(r.Body, MaxRequest, &asked)
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
	data, _ := json.Marshal(a) // cannot fail: the members are strings and bytes
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a client that did not get the answer asks again
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

// hello answers the first request of a try. Its answer tells the client whether its code is
// right, so every hello counts as a try.
func (h *Host) hello(asked request) (answer, error) {
	if h.admitted != nil || len(h.attempts) >= maxTries || !h.options.Now().Before(h.ends) {
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

// fail ends a try that did not know the code. After the last try it ends the host.
func (h *Host) fail(a *attempt) {
	if h.admitted == a {
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

// offer verifies that a machine knows the code, and answers its offer with the secret.
func (h *Host) offer(ctx context.Context, a *attempt, asked request) (answer, error) {
	switch {
	case h.admitted == a && a.secret != nil && subtle.ConstantTimeCompare(a.sealedOffer, asked.Sealed) == 1: // the answer was lost
		return answer{Sealed: a.secret}, nil
	case h.admitted != nil || a.failed || !h.options.Now().Before(h.ends):
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
	h.admitted, a.sealedOffer, a.offer = a, asked.Sealed, offer
	secret, err := h.options.Secret(ctx, offer)
	if err == nil {
		a.secret, err = a.channel.seal(secretLabel, secret)
	}
	if err != nil {
		h.end(err)
	}
	return answer{Sealed: a.secret}, err
}

// confirm calls HostOptions.Confirmed, and tells the new machine that it succeeded.
func (h *Host) confirm(ctx context.Context, a *attempt, asked request) (answer, error) {
	if h.admitted != a || a.secret == nil {
		return answer{}, ErrOver
	}
	if _, err := a.channel.open(confirmLabel, asked.Sealed); err != nil {
		return answer{}, err
	}
	if !a.confirmed {
		if err := h.options.Confirmed(ctx, a.offer); err != nil {
			return answer{}, err
		}
		a.confirmed = true
		h.end(nil)
	}
	sealed, err := a.channel.seal(endLabel, nil)
	return answer{Sealed: sealed}, err
}
