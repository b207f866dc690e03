package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/server"
)

type serveCmd struct {
	Addr        string   `help:"Where to listen. Default: 127.0.0.1 and the port in config.json, 7777." placeholder:"HOST:PORT"`
	AllowRemote bool     `help:"Let other machines reach it. Give --tls-cert and --tls-key, or put TLS in front."`
	TLSCert     string   `name:"tls-cert" and:"tls" help:"The certificate to speak TLS with, and those it depends on, in PEM. It is read again when it changes." placeholder:"FILE"`
	TLSKey      string   `name:"tls-key" and:"tls" help:"The key of the certificate, which nobody else may read." placeholder:"FILE"`
	Host        []string `help:"A name it is reached by, besides those of this machine." placeholder:"NAME"`
	Origin      []string `help:"A web origin that it is reached under, such as that of a proxy." placeholder:"URL"`
	Public      bool     `help:"Let anybody recall and get public memories, and serve them as documents under /.well-known/ump/."`
	OpenMetrics bool     `help:"Show /metrics without the owner's token."`
	ReadOnly    bool     `help:"Answer questions and store nothing."`
	ToolNames   string   `default:"plain" enum:"plain,dotted" help:"How MCP tools are listed: plain or dotted." placeholder:"N"`
	Log         string   `default:"text" enum:"text,json" help:"How requests and faults are logged on standard error: text or json. Nothing of what is remembered or asked is logged." placeholder:"N"`
}

// Run serves until it is interrupted, and then ends what is under way.
func (c *serveCmd) Run(a *app) error {
	log := c.logger(a)
	o, err := a.openLogging(log, shown(c.ReadOnly), "mcp", "http", "file")
	if err != nil {
		return err
	}
	return errors.Join(c.serve(a, o, log), o.Close())
}

func (c *serveCmd) serve(a *app, o *opened, log *slog.Logger) error {
	token, err := o.readToken()
	if err != nil {
		return err
	}
	settings := server.Options{
		Backend: server.Over(o.Vault), Owner: o.Owner, Token: token,
		AllowRemote: c.AllowRemote, Hosts: c.Host, Origins: c.Origin, Public: c.Public, OpenMetrics: c.OpenMetrics,
		Release: release(), Dotted: c.ToolNames == "dotted", Log: log,
	}
	if c.TLSCert != "" {
		pair, err := openCertificate(c.TLSCert, c.TLSKey, a.now, log)
		if err != nil {
			return err
		}
		settings.Certificate = pair.forConnection
	}
	if c.Addr == "" {
		c.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port))
	}
	l, err := c.listen()
	if err != nil {
		return err
	}
	c.announce(a, log, l.Addr().String(), o.token())
	ctx, stop := context.WithCancel(a.ctx)
	kept := o.keep(ctx, a, c.ReadOnly)
	err = server.Serve(ctx, l, settings)
	stop()
	<-kept
	return errors.Join(err, closed(l))
}

// announce says where it listens, in the manner of the log.
func (c *serveCmd) announce(a *app, log *slog.Logger, addr, token string) {
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	base := scheme + "://" + addr
	if c.Log == "json" {
		log.Info("serving", "ump", base+"/ump", "mcp", base+"/mcp", "token", token)
	} else {
		a.say("serving %s/ump and %[1]s/mcp; the token is in %s", base, token)
	}
	if c.AllowRemote && scheme == "http" {
		log.Warn("other machines may reach this without TLS: whoever listens between reads the token and what is remembered; give --tls-cert and --tls-key, or put TLS in front")
	}
}

// logger writes requests and faults in the chosen form. Ids of records are left
// out: a short text can be guessed from its id.
func (c *serveCmd) logger(a *app) *slog.Logger {
	if a.quiet {
		return slog.New(slog.DiscardHandler)
	}
	o := &slog.HandlerOptions{ReplaceAttr: func(groups []string, attr slog.Attr) slog.Attr {
		if len(groups) == 0 && attr.Key == "id" {
			return slog.Attr{}
		}
		return attr
	}}
	if c.Log == "json" {
		return slog.New(slog.NewJSONHandler(a.err, o))
	}
	return slog.New(slog.NewTextHandler(a.err, o))
}

// listen takes the address, unless others could reach it and need not.
func (c *serveCmd) listen() (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", c.Addr)
	if err != nil {
		return nil, usagef("%s is no address to listen on (%w); give --addr HOST:PORT", clean(c.Addr), err)
	}
	if !at.IP.IsLoopback() && !c.AllowRemote {
		return nil, usagef("%s can be reached from other machines: listen on 127.0.0.1, or say --allow-remote, with --tls-cert and --tls-key "+
			"or TLS in front; --host names it goes by", clean(c.Addr))
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("%w; is satchel running already? --addr names another port", err)
	}
	return l, nil
}

// closed closes a listener that may be closed already.
func closed(l net.Listener) error {
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// readToken reads the owner's token, which nobody else may read.
func (h home) readToken() (string, error) {
	info, err := os.Stat(h.token())
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the token %s is missing; satchel doctor says how to make one", h.token())
	}
	if err != nil {
		return "", err
	}
	if others(info) {
		return "", refusedf("others may read the token %s; chmod 600 it, and replace it if somebody may have", h.token())
	}
	data, err := readBounded(h.token(), maxSmall)
	token := strings.TrimSpace(string(data))
	if err == nil && len(token) < leastToken {
		err = fmt.Errorf("the token %s is too short to be safe; remove it and run satchel doctor --mend", h.token())
	}
	return token, err
}

// shown is what a server for others needs of the store: what it hands to third
// parties stands in the audit log, which the owner's key signs.
func shown(readOnly bool) access {
	if readOnly {
		return showing
	}
	return signing
}
