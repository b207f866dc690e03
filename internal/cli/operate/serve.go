package operate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
	"github.com/satchel-memory/satchel/internal/cli/otel"
	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/text/size"
)

// ServeCmd is the command satchel serve.
type ServeCmd struct {
	Addr         string        `help:"Where to listen. Default: 127.0.0.1 and the port in config.json, 7777." placeholder:"HOST:PORT"`
	AllowRemote  bool          `help:"Let other machines reach it. Give --tls-cert and --tls-key, or put TLS in front."`
	TLSCert      string        `name:"tls-cert" and:"tls" help:"The TLS certificate and its chain, in PEM. It is read again when it changes." placeholder:"FILE"`
	TLSKey       string        `name:"tls-key" and:"tls" help:"The private key of the certificate. Only you may read the file." placeholder:"FILE"`
	Host         []string      `help:"A name or address that clients use for this server. May be repeated." placeholder:"NAME"`
	Origin       []string      `help:"A web origin of this server, such as that of a proxy." placeholder:"URL"`
	Public       bool          `help:"Let anybody read public memories, also as documents under /.well-known/ump/."`
	OpenMetrics  bool          `help:"Show /metrics without the owner's token."`
	ReadOnly     bool          `help:"Answer questions and store nothing."`
	Audience     string        `help:"Accept tokens whose audience is this DID. Default: the owner's DID." placeholder:"DID"`
	Rate         float64       `default:"50" help:"Requests a second for each token, and for each address without a token. Default: 50." placeholder:"N"`
	Burst        int           `default:"100" help:"Requests at once above --rate. Default: 100." placeholder:"N"`
	Connections  int           `name:"max-connections" default:"1000" help:"Open connections at once." placeholder:"N"`
	Stateless    *bool         `negatable:"" help:"Keep no MCP sessions in the process, so that several servers can share the requests. Default: only with a database."`
	Drain        time.Duration `help:"After a signal to stop, answer for this time while /readyz says no." placeholder:"TIME"`
	Wait         time.Duration `help:"Wait this long at the start for a database that does not answer." placeholder:"TIME"`
	ToolNames    string        `default:"plain" enum:"plain,dotted" help:"How MCP tools are listed: plain or dotted." placeholder:"N"`
	AIMEMVerify  string        `name:"aimem-verify" default:"verify" enum:"require,verify,skip" help:"The signatures of uploaded bundles: require a trusted key, verify the signatures that are there, or skip them." placeholder:"N"`
	MaxBundle    size.Bytes    `name:"max-bundle" default:"512M" help:"The largest uploaded bundle, such as 512M or 2G." placeholder:"SIZE"`
	IssuerURL    string        `name:"issuer-url" help:"The address of contexts for assistants, whose list of keys they trust. Default: the address from satchel keys issuer, else the server's." placeholder:"URL"`
	Edition      string        `name:"engram-edition" default:"0.1" enum:"0.1,0.1.2" help:"The edition of Engram: 0.1, or 0.1.2 with constraints." placeholder:"N"`
	NoPending    bool          `help:"Leave waiting corrections out of contexts."`
	Batch        bool          `name:"engram-batch" help:"Accept several corrections in one request."`
	JWKS         bool          `name:"engram-jwks" help:"Publish the keys that sign contexts as a JWK set too."`
	Webhooks     bool          `name:"engram-webhooks" help:"Notify assistants at their address when contexts change. The message holds ids only."`
	PrivateHooks bool          `name:"webhooks-private" help:"Allow notifications to this machine and private networks."`
	WebFinger    []string      `name:"webfinger" help:"Answer WebFinger for this account with the address of the store. May be repeated." placeholder:"acct:NAME@HOST"`
	ContextRate  float64       `name:"context-rate" default:"120" help:"Requests a minute for contexts, for each token. Default: 120." placeholder:"N"`
	Agents       bool          `negatable:"" default:"true" help:"Accept agents and their checkpoints under /aaif, and run agents. --no-agents switches this off."`
	AgentsAtOnce int           `default:"4" help:"The most runs of agents that are executed at the same time. Default: 4." placeholder:"N"`
	Queues       []string      `help:"Execute only the runs of these queues. The name default means the runs without a queue. Without the flag, all runs are executed." placeholder:"NAME"`
	A2A          []string      `name:"a2a" help:"Let other agents give tasks to this agent by A2A, with a token for it. Its Agent Card is public. The card of the first agent is also the card of the host. May be repeated." placeholder:"AGENT"`
	OnArrival    bool          `name:"resume-on-arrival" help:"Resume the run of a checkpoint when it arrives. Default: its owner resumes it."`
	AgentsLocal  bool          `help:"Accept runs without TLS from programs of this machine, such as a proxy."`
	AgentsSigned bool          `help:"Refuse agents without a trusted signature at every safety level. Default: refuse strict and regulated ones, warn of others."`
	AgentsActive bool          `help:"Refuse drafts of agents that are meant for production. Default: warn."`
	AgentsLoose  bool          `name:"agents-unbound" help:"Accept migration tokens that name no digest of the checkpoint. A thief of such a token can send another checkpoint."`
	Platform     string        `help:"The name of this platform, which migration tokens must name. Default: the name that your bundles carry." placeholder:"NAME"`
	Pages        bool          `negatable:"" default:"true" help:"Show your memory in a browser under /me, see satchel open. --no-pages switches this off."`
	OAuth        bool          `name:"oauth" help:"Let remote assistants ask you for access to /mcp and /v1/context by OAuth. You decide on a page. Assistants that are named by an address have their document fetched from there."`
	OAuthIssuer  string        `name:"oauth-issuer" help:"Let the tokens of another issuer in instead. The file says of which, for what, and where its keys are." placeholder:"FILE"`
	Log          string        `default:"text" enum:"text,json" help:"The form of the log on standard error: text or json. Memories and questions are never logged." placeholder:"N"`

	opened func(o *cli.Session, at string) error // called when the pages are at an address; nil: nobody waits, and the log is shown
}

// Run serves until a signal interrupts it, and then ends the running requests.
func (c *ServeCmd) Run(a *cli.App) error {
	if err := c.check(); err != nil {
		return err
	}
	log := c.logger(a)
	var pair *certificate
	if c.TLSCert != "" {
		var err error
		if pair, err = openCertificate(c.TLSCert, c.TLSKey, a.Now, log); err != nil {
			return err
		}
	}
	sent, err := otel.Start(a, log)
	if err != nil {
		return err
	}
	defer otel.Close(sent)
	if a.Patience = c.Wait; sent != nil {
		a.Trace = sent.Work
	}
	o, err := a.OpenFor(vault.Options{Log: log, Audience: c.Audience, Bindings: []string{"mcp", "http", "file"}}, accessFor(c.ReadOnly))
	if errors.Is(err, store.ErrUnavailable) && c.Wait == 0 {
		err = fmt.Errorf("%w; serve --wait 1m waits for it", err)
	}
	if err != nil {
		return err
	}
	return errors.Join(c.serve(a, o, log, pair, sent), o.Close())
}

// check refuses flags that no server can keep.
func (c *ServeCmd) check() error {
	if c.Drain < 0 || c.Wait < 0 {
		return cli.Usagef("--drain and --wait cannot be below 0")
	}
	if !(c.Rate > 0) || c.Burst < 1 || c.Connections < 1 {
		return cli.Usagef("--rate, --burst and --max-connections must be above 0")
	}
	if c.AgentsAtOnce < 1 {
		return cli.Usagef("--agents-at-once must be above 0")
	}
	if len(c.A2A) > 0 && !c.Agents {
		return cli.Usagef("--a2a serves agents, and --no-agents forbids that")
	}
	if c.MaxBundle < 1 {
		return cli.Usagef("--max-bundle must be above 0")
	}
	if !(c.ContextRate >= 1) {
		return cli.Usagef("--context-rate must be at least 1")
	}
	if c.OAuth && (!c.Pages || c.ReadOnly || c.OAuthIssuer != "") {
		return cli.Usagef("--oauth needs the pages, on which you decide, and a store that is written; --oauth-issuer stands in its place")
	}
	return errors.Join(cli.CheckIssuerURL(c.IssuerURL), c.checkNames(), c.checkNext())
}

// checkNames refuses names and origins that match no request.
func (c *ServeCmd) checkNames() error {
	for _, host := range c.Host {
		if _, _, err := net.SplitHostPort(host); err == nil || host == "" || strings.ContainsAny(host, "/?#@ ") {
			return cli.Usagef("--host takes a name or address alone, such as memory.example, and not %s; an address with https:// is an --origin", cli.Clean(host))
		}
	}
	for _, origin := range c.Origin {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			return cli.Usagef("--origin takes an address without a path, such as https://memory.example, and not %s", cli.Clean(origin))
		}
	}
	return nil
}

func (c *ServeCmd) serve(a *cli.App, o *cli.Session, log *slog.Logger, pair *certificate, sent *telemetry.Exporter) error {
	token, err := o.ReadToken()
	if err != nil {
		return err
	}
	bundles, err := c.bundles(o)
	if err != nil {
		return err
	}
	settings := server.Options{
		Bundles: bundles,
		Backend: server.Over(o.Vault), Owner: o.Owner, Token: token, Pages: c.pages(a, o.Home),
		AllowRemote: c.AllowRemote, Hosts: c.Host, Origins: c.Origin, Public: c.Public, OpenMetrics: c.OpenMetrics,
		Rate: c.Rate, Burst: c.Burst, MaxConnections: c.Connections,
		Stateless: c.stateless(o), Drain: c.Drain,
		Release: cli.Release(), Dotted: c.ToolNames == "dotted", Log: log, Telemetry: sent,
		Metrics: func(ctx context.Context) []metric.Family {
			return append(o.Store.Metrics(ctx), machines.Measure(a, o)...)
		},
	}
	settings.Pages.Doctor = pagesDoctor{a, o}
	if !c.ReadOnly {
		settings.Machines = machines.Serve(a, o)
	}
	if pair != nil {
		settings.Certificate = pair.forConnection
	}
	l, err := c.listen(o.Port)
	if err != nil {
		return err
	}
	if settings.OAuth, err = c.oauth(o); err != nil {
		return errors.Join(err, closed(l))
	}
	settings.Contexts = c.contexts(a, o, log, l.Addr())
	if err := c.agents(a, o, l.Addr(), &settings); err != nil {
		return errors.Join(err, closed(l))
	}
	if c.opened == nil {
		c.announce(a, log, c.reachedAt(l.Addr()), o.Token())
		c.announceOAuth(a, log, l.Addr())
	}
	ctx, stop := context.WithCancel(a.Ctx)
	defer c.publish(o, l.Addr(), settings.Pages, stop)()
	kept := keep(o, ctx, a, c.ReadOnly)
	err = server.Serve(ctx, l, settings)
	stop()
	<-kept
	closeRuns(settings.Runs.Host)
	otel.Close(sent) // while the store can still be measured
	if err = errors.Join(err, closed(l)); err == nil {
		c.note(a, log, "stopped")
	}
	return err
}

// bundles are the options for bundles. The server signs them if the owner's key is open,
// because it derives the producer's key from that.
func (c *ServeCmd) bundles(o *cli.Session) (server.Bundles, error) {
	b := server.Bundles{Producer: o.Config.CurrentProducer().Name, Policy: aimem.Policy(c.AIMEMVerify), Max: int64(c.MaxBundle), Folder: o.Scratch()}
	if o.Key.IsZero() {
		return b, nil
	}
	var err error
	if b.Key, err = o.ProducerKey(); err != nil {
		return b, err
	}
	all, err := o.ProducerKeys()
	if err == nil {
		b.Earlier = all[1:]
	}
	return b, err
}

// stateless reports whether the process keeps no sessions.
func (c *ServeCmd) stateless(o *cli.Session) bool {
	if c.Stateless == nil {
		return o.InDatabase()
	}
	return *c.Stateless
}

// reachedAt returns the server's address for others: a server that listens everywhere has
// the name they use.
func (c *ServeCmd) reachedAt(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() || len(c.Host) == 0 {
		return at.String()
	}
	return net.JoinHostPort(strings.Trim(c.Host[0], "[]"), strconv.Itoa(tcp.Port))
}

// note says what the server does, in the form of the log.
func (c *ServeCmd) note(a *cli.App, log *slog.Logger, what string) {
	if c.Log == "json" {
		log.Info(what)
	} else {
		a.Say("%s", what)
	}
}

// aaifPath is the prefix of the agents' routes.
const aaifPath = "/aaif"

// announce states the server's address, in the form of the log.
func (c *ServeCmd) announce(a *cli.App, log *slog.Logger, addr, token string) {
	scheme := c.scheme()
	base := scheme + "://" + addr
	if c.Log == "json" {
		where := []any{"ump", base + "/ump", "mcp", base + "/mcp"}
		if c.Agents {
			where = append(where, "aaif", base+aaifPath)
		}
		log.Info("serving", append(where, "token", token)...)
	} else {
		agents := ""
		if c.Agents {
			agents = ", " + base + aaifPath
		}
		a.Say("serving %[1]s/ump, %[1]s/mcp%[2]s, %[1]s/v1/brain and %[1]s/v1/context; your token is in %[3]s", base, agents, token)
	}
	if host, _, err := net.SplitHostPort(addr); err == nil && anywhere(host) {
		log.Warn("it answers by the names of this machine only: give the name or address that others use with --host")
	}
	if c.AllowRemote && scheme == "http" {
		log.Warn("other machines may reach this without TLS: whoever listens between reads the token and what is remembered; give --tls-cert and --tls-key, or put TLS in front")
	}
}

// anywhere reports whether a host stands for every address of the machine.
func anywhere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsUnspecified()
}

// logger writes requests and faults in the chosen form. Ids of records are left
// out: a short text can be guessed from its id.
func (c *ServeCmd) logger(a *cli.App) *slog.Logger {
	if a.Quiet || c.opened != nil {
		return slog.New(slog.DiscardHandler)
	}
	o := &slog.HandlerOptions{ReplaceAttr: func(groups []string, attr slog.Attr) slog.Attr {
		if len(groups) == 0 && attr.Key == "id" {
			return slog.Attr{}
		}
		if err, ok := attr.Value.Any().(error); ok {
			attr.Value = slog.StringValue(cli.HidePasswords(err.Error()))
		}
		return attr
	}}
	if c.Log == "json" {
		return slog.New(slog.NewJSONHandler(a.Err, o))
	}
	return slog.New(slog.NewTextHandler(a.Err, o))
}

// loopback is the address of this machine for itself.
var loopback = net.IPv4(127, 0, 0, 1)

// listen opens the address, else the port on this machine.
func (c *ServeCmd) listen(port int) (net.Listener, error) {
	at, err := c.resolve(port)
	if err != nil {
		return nil, err
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("%w; is satchel running already? --addr names another port", err)
	}
	return l, nil
}

// resolve returns the address to listen on. It refuses one that others can reach unless the
// options allow it.
func (c *ServeCmd) resolve(port int) (*net.TCPAddr, error) {
	if c.Addr == "" {
		c.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	at, err := net.ResolveTCPAddr("tcp", c.Addr)
	if err != nil {
		return nil, cli.Usagef("%s is no address to listen on (%w); give --addr HOST:PORT", cli.Clean(c.Addr), err)
	}
	if !at.IP.IsLoopback() && !c.AllowRemote {
		return nil, cli.Usagef("%s can be reached from other machines: listen on 127.0.0.1, or say --allow-remote, with --tls-cert and --tls-key "+
			"or TLS in front; --host names it goes by", cli.Clean(c.Addr))
	}
	return at, nil
}

// closed closes a listener that may be closed already.
func closed(l net.Listener) error {
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// accessFor is what a server for others needs of the store: the audit log records what it
// hands to third parties, and the owner's key signs the log.
func accessFor(readOnly bool) cli.Access {
	if readOnly {
		return cli.Showing
	}
	return cli.Signing
}
