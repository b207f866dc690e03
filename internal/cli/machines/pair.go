package machines

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"rsc.io/qr"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/pairing"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
)

// PairCmd is the command satchel pair.
type PairCmd struct {
	Listen  string `xor:"way" help:"Where to listen for the other machine. Default: any free port, on all addresses of this machine." placeholder:"HOST:PORT"`
	Through string `xor:"way" help:"The address of this store's satchel serve, if the other machine reaches that, such as https://memory.example." placeholder:"URL"`
	NoQR    bool   `name:"no-qr" help:"Show no QR code."`
}

// Run shows a code. It ends when a machine has joined by the code and has this memory, or when
// the code is good no more.
func (c *PairCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		t, err := openThisMachine(a, o, true)
		if err != nil {
			return err
		}
		p := &pairingHost{thisMachine: t, code: pairing.NewCode()}
		l, err := p.listen(c)
		if err != nil {
			return err
		}
		return errors.Join(p.serve(c, l), closed(l))
	})
}

// closed closes a listener that its server may have closed already.
func closed(l net.Listener) error {
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// pairingHost is a pairing on the machine that shows the code.
type pairingHost struct {
	*thisMachine
	code        pairing.Code
	certificate *tls.Certificate // nil: satchel serve answers the other machine, and passes its requests on

	mu       sync.Mutex
	joined   replica.Machine // entry of the new machine, signed; zero: none yet
	synced   bool            // the new machine has all of this memory
	lastSeen time.Time       // when the new machine last sent a valid request; zero: it has not joined
	ticket   string          // the new machine has to send it to /sync; empty: none was paired
	busy     bool            // a pack is being read or answered, or the copy is being sent
	copied   bool            // the new machine has asked for a copy of the store
}

// listen opens the listener for the other machine, or on the loopback for satchel serve.
func (p *pairingHost) listen(c *PairCmd) (net.Listener, error) {
	if c.Through != "" {
		if err := peer.CheckAddress(c.Through); err != nil {
			return nil, cli.WithStatus(cli.ExitUsage, err)
		}
		if cli.RunningPages(p.Home) == "" {
			return nil, cli.Refusedf("no satchel serve of this store runs on this machine; start one, or leave --through out")
		}
		return net.Listen("tcp", "127.0.0.1:0")
	}
	at := c.Listen
	if at == "" {
		at = ":0"
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("%w; --listen names another place", err)
	}
	made, err := temporaryCertificate(p.app.Now())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	p.certificate = &made
	return tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{made}, NextProtos: []string{"h2", "http/1.1"}}), nil
}

// serve shows the code, and answers until the pairing has ended.
func (p *pairingHost) serve(c *PairCmd, l net.Listener) error {
	host, err := pairing.NewHost(p.code, pairing.HostOptions{Now: p.app.Now, Secret: p.secret, Confirmed: p.confirm})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(pairing.Path, host)
	if p.certificate != nil {
		mux.HandleFunc("POST "+peer.Path, p.answerSync)
		mux.HandleFunc("POST "+copyPath, p.answerCopy)
	}
	s := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: httpkit.Patience, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	if c.Through != "" {
		defer cli.PublishPairing(p.Home, l.Addr().String())()
	}
	address := c.Through
	if address == "" {
		address = addressFor(l.Addr())
	}
	if err := p.show(c, address); err != nil {
		return err
	}
	defer p.scanAhead()()
	err = host.Wait(p.app.Ctx)
	switch {
	case errors.Is(err, pairing.ErrOver):
		err = cli.Refusedf("the code is good no more: it was tried three times, or is ten minutes old. satchel pair shows another")
	case err == nil:
		p.app.Say("%s takes part now", cli.Clean(p.joined.Name))
		if p.certificate != nil {
			p.waitForSync()
		}
	}
	patience, done := context.WithTimeout(context.WithoutCancel(p.app.Ctx), 5*time.Second)
	defer done()
	if s.Shutdown(patience) != nil { // a connection is still open
		_ = s.Close()
	}
	if stopped := <-served; !errors.Is(stopped, http.ErrServerClosed) {
		err = errors.Join(err, stopped)
	}
	if err == nil {
		err = p.report()
	}
	return err
}

// show prints the code and the address, on a terminal also as a QR code.
func (p *pairingHost) show(c *PairCmd, address string) error {
	place := string(p.code) + "@" + address
	if p.app.JSON {
		return p.app.Emit(map[string]any{"code": p.code, "address": address, "join": place, "until": cli.Stamp(p.app.Now().Add(pairing.Lasts))})
	}
	p.app.Print("On the other machine, within ten minutes:\n\n  satchel init --join %s\n", place)
	if c.NoQR || !cli.IsTerminal(p.app.Out) {
		return nil
	}
	picture, err := qr.Encode(place, qr.L)
	if err != nil {
		return err
	}
	draw(p.app.Out, picture)
	return nil
}

// draw prints a QR code, two rows to a line, dark on light whatever the terminal's colours are.
func draw(out io.Writer, c *qr.Code) {
	const quiet = 2
	for y := -quiet; y < c.Size+quiet; y += 2 {
		fmt.Fprint(out, "\x1b[30;107m")
		for x := -quiet; x < c.Size+quiet; x++ {
			upper, lower := c.Black(x, y), c.Black(x, y+1)
			switch {
			case upper && lower:
				fmt.Fprint(out, "█")
			case upper:
				fmt.Fprint(out, "▀")
			case lower:
				fmt.Fprint(out, "▄")
			default:
				fmt.Fprint(out, " ")
			}
		}
		fmt.Fprint(out, "\x1b[0m\n")
	}
}

// secret returns the [Enrollment] for the offer of a machine that knows the code.
func (p *pairingHost) secret(ctx context.Context, offer []byte) ([]byte, error) {
	entry, err := readOffer(offer)
	if err != nil {
		return nil, err
	}
	all, err := p.memory.Machines(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) >= mostMachines {
		return nil, cli.Refusedf("there are %d machines, the most that may be", len(all))
	}
	entry.Name, entry.Added = freeName(entry.Name, all), p.app.Now().UTC().Truncate(time.Second)
	e := Enrollment{Machines: all}
	if e.Machine, err = replicate.Sign(ctx, p.Vault, p.Caller(), entry); err != nil {
		return nil, err
	}
	owner, err := replicate.KeyOf(ctx, p.Vault, p.Caller())
	if err != nil {
		return nil, err
	}
	e.Seed = owner.Seed()
	spoken, err := p.Editions().EditionStatus(ctx, p.Caller())
	if err != nil {
		return nil, err
	}
	e.Edition = spoken.Speaks
	if p.Owner == p.Config.Owner {
		producer, issuer := p.Config.CurrentProducer(), p.Config.CurrentIssuer()
		e.Producer, e.Issuer = &producer, &issuer
	}
	if p.certificate != nil {
		e.Certificate, e.Ticket = digest(p.certificate.Certificate[0]), rand.Text()
	}
	p.mu.Lock()
	p.joined, p.ticket = e.Machine, e.Ticket
	p.mu.Unlock()
	return json.Marshal(e)
}

// confirm adds the new machine to the owner's.
func (p *pairingHost) confirm(ctx context.Context, _ []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastSeen = time.Now()
	return replicate.Admit(ctx, p.Vault, p.Caller(), p.joined)
}

// syncPatience is how long satchel pair waits for the next request of a new machine that lacks
// memories; copyPatience, while it may be checking a copy.
const (
	syncPatience = time.Minute
	copyPatience = 10 * time.Minute
)

// waitForSync waits until the new machine has this memory, or is silent for too long.
func (p *pairingHost) waitForSync() {
	tick := time.NewTicker(time.Second / 4)
	defer tick.Stop()
	for {
		p.mu.Lock()
		patience := syncPatience
		if p.copied {
			patience = copyPatience
		}
		over := p.synced || time.Since(p.lastSeen) > patience
		p.mu.Unlock()
		if over {
			return
		}
		select {
		case <-p.app.Ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// admit admits a request of the new machine to /sync, one at a time; the caller calls release. It
// fails with [replica.ErrUnknown] if the ticket is wrong, and with [replica.ErrBusy] while another
// request is answered.
func (p *pairingHost) admit(ticket string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.lastSeen.IsZero() || subtle.ConstantTimeCompare([]byte(p.ticket), []byte(ticket)) == 0:
		return replica.ErrUnknown
	case p.busy:
		return replica.ErrBusy
	}
	p.busy = true
	return nil
}

// release lets admit admit the next request.
func (p *pairingHost) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = false
}

// answerSync answers /sync for the new machine. No satchel serve may run on this machine.
func (p *pairingHost) answerSync(w http.ResponseWriter, r *http.Request) {
	if err := p.admit(r.Header.Get(peer.TicketHeader)); err != nil {
		peer.Refuse(w, err)
		return
	}
	answer, err := p.answer(w, r)
	if err != nil {
		peer.Refuse(w, err)
		return
	}
	httpkit.Send(w, http.StatusOK, peer.Media, answer)
}

// answer reads the pack of a request, and returns the pack to answer with. It releases the request
// before the answer is sent: the new machine sends the next request as soon as it has the answer.
func (p *pairingHost) answer(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	defer p.release()
	sealed, _, err := peer.Receive(w, r, httpkit.Patience, func() (func(), error) { return func() {}, nil })
	if _, broken := errors.AsType[*httpkit.BodyError](err); broken {
		err = replica.ErrCut
	}
	if err != nil {
		return nil, err
	}
	h, err := p.host()
	var answer peer.Answer
	if err == nil {
		answer, err = h.Answer(r.Context(), sealed)
	}
	if err != nil {
		p.app.Warn("%s could not sync: %s", cli.Clean(p.joined.Name), cli.Describe(err))
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer.From.ID == p.joined.ID {
		p.synced, p.lastSeen = answer.Whole, time.Now()
	}
	return answer.Sealed, nil
}

// report prints the result of the pairing.
func (p *pairingHost) report() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.app.JSON {
		return p.app.Emit(map[string]any{"joined": p.joined.Name, "machine": p.joined.ID, "synced": p.synced})
	}
	if p.certificate != nil && !p.synced {
		p.app.Warn("%s has not all of this memory yet: satchel sync there goes on, once it has a remote", cli.Clean(p.joined.Name))
	}
	return nil
}
