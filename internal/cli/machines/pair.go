package machines

import (
	"context"
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

// Run shows a code until a machine has joined by it and has this memory, or until the code
// is good no more.
func (c *PairCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		f, err := enter(a, o, true)
		if err != nil {
			return err
		}
		p := &pairer{fleet: f, code: pairing.NewCode()}
		l, err := p.listen(c)
		if err != nil {
			return err
		}
		return errors.Join(p.serve(c, l), closed(l))
	})
}

func closed(l net.Listener) error {
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// pairer is one pairing on the machine that shows the code.
type pairer struct {
	*fleet
	code        pairing.Code
	certificate *tls.Certificate // nil: satchel serve stands between

	mu     sync.Mutex
	joined replica.Machine // signed; zero: none yet
	synced bool            // it has all of this memory
	heard  time.Time       // when it last proved who it is; zero: never
	large  bool            // a large pack arrives
}

// listen opens the listener: for the other machine, or for satchel serve on this one.
func (p *pairer) listen(c *PairCmd) (net.Listener, error) {
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
	made, err := passing(p.app.Now())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	p.certificate = &made
	return tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{made}, NextProtos: []string{"h2", "http/1.1"}}), nil
}

// serve shows the code and answers until the end.
func (p *pairer) serve(c *PairCmd, l net.Listener) error {
	host, err := pairing.NewHost(p.code, pairing.HostOptions{Now: p.app.Now, Give: p.give, Confirmed: p.confirm})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(pairing.Path, host)
	if p.certificate != nil {
		mux.HandleFunc("POST "+peer.Path, p.sync)
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
		address = reachedBy(l.Addr())
	}
	if err := p.show(c, address); err != nil {
		return err
	}
	err = host.Wait(p.app.Ctx)
	switch {
	case errors.Is(err, pairing.ErrOver):
		err = cli.Refusedf("the code is good no more: it was tried three times, or is ten minutes old. satchel pair shows another")
	case err == nil:
		p.app.Say("%s takes part now", cli.Clean(p.joined.Name))
		if p.certificate != nil {
			p.lend()
		}
	}
	patience, done := context.WithTimeout(context.WithoutCancel(p.app.Ctx), 5*time.Second)
	defer done()
	if s.Shutdown(patience) != nil { // a machine that does not let go
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

// show prints the code and the address.
func (p *pairer) show(c *PairCmd, address string) error {
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

// draw draws a QR code, two rows to a line, dark on light whatever the terminal's colours.
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

// give answers the offer of a machine that knows the code.
func (p *pairer) give(ctx context.Context, offer []byte) ([]byte, error) {
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
	g := Gift{Machines: all}
	if g.Machine, err = replicate.Sign(ctx, p.Vault, p.Caller(), entry); err != nil {
		return nil, err
	}
	owner, err := replicate.KeyOf(ctx, p.Vault, p.Caller())
	if err != nil {
		return nil, err
	}
	g.Seed = owner.Seed()
	spoken, err := p.Editions().EditionStatus(ctx, p.Caller())
	if err != nil {
		return nil, err
	}
	g.Edition = spoken.Speaks
	if p.Owner == p.Config.Owner {
		producer, issuer := p.Config.CurrentProducer(), p.Config.CurrentIssuer()
		g.Producer, g.Issuer = &producer, &issuer
	}
	if p.certificate != nil {
		g.Certificate = digest(p.certificate.Certificate[0])
	}
	p.mu.Lock()
	p.joined = g.Machine
	p.mu.Unlock()
	return json.Marshal(g)
}

// confirm adds the machine.
func (p *pairer) confirm(ctx context.Context, _ []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = time.Now()
	return replicate.Admit(ctx, p.Vault, p.Caller(), p.joined)
}

// lendFor is how long a new machine may be silent before it has this memory.
const lendFor = time.Minute

// lend waits until the new machine has this memory, as long as it goes on asking.
func (p *pairer) lend() {
	tick := time.NewTicker(time.Second / 4)
	defer tick.Stop()
	for {
		p.mu.Lock()
		over := p.synced || time.Since(p.heard) > lendFor
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

// takesPart reports whether the new machine takes part.
func (p *pairer) takesPart() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.heard.IsZero()
}

// largeTurn lets one large pack arrive at once.
func (p *pairer) largeTurn() (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.large {
		return nil, replica.ErrBusy
	}
	p.large = true
	return func() { p.mu.Lock(); defer p.mu.Unlock(); p.large = false }, nil
}

// sync answers the new machine, so that it has this memory before it goes its ways.
func (p *pairer) sync(w http.ResponseWriter, r *http.Request) {
	if !p.takesPart() {
		peer.Refuse(w, replica.ErrUnknown)
		return
	}
	sealed, leave, err := peer.Receive(w, r, httpkit.Patience, p.largeTurn)
	defer leave()
	if _, broken := errors.AsType[*httpkit.BodyError](err); broken {
		err = replica.ErrCut
	}
	if err != nil {
		peer.Refuse(w, err)
		return
	}
	h, err := p.host()
	var answer peer.Answer
	if err == nil {
		answer, err = h.Answer(r.Context(), sealed)
	}
	if err != nil {
		p.app.Warn("%s could not sync: %s", cli.Clean(p.joined.Name), cli.Describe(err))
		peer.Refuse(w, err)
		return
	}
	p.mu.Lock()
	if answer.From.ID == p.joined.ID {
		p.synced, p.heard = answer.Whole, time.Now()
	}
	p.mu.Unlock()
	httpkit.Send(w, http.StatusOK, peer.Media, answer.Sealed)
}

// report says how it ended.
func (p *pairer) report() error {
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
