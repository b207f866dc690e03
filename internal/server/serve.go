package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Serve answers requests that arrive at l until ctx is cancelled. It then says for
// as long as the options' drain that it is about to stop, takes no new ones, waits
// for those under way within the options' grace, and returns nil, or an error when
// some had to be cut off.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	host, err := reachedAs(l.Addr(), o.AllowRemote)
	if err != nil {
		return err
	}
	if host != "" {
		o.Hosts = append([]string{host}, o.Hosts...)
	}
	s, err := New(o)
	if err != nil {
		return err
	}
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	listening := s.listener(requests)
	failed := make(chan error, 1)
	go func() { failed <- s.listen(listening, l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-ctx.Done():
		s.leaving.Store(true)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-time.After(s.options.Drain):
		return s.stop(listening, cut)
	}
}

// listen answers what arrives at l, by TLS if there is a certificate.
func (s *Server) listen(listening *http.Server, l net.Listener) error {
	encrypted := s.options.Certificate != nil
	room := newRoom(s.options.MaxConnections, s.options.MaxConnectionsEach)
	bound := bind(l, room, !encrypted, s.metrics.turnAway)
	listening.ConnState = bound.changed
	if encrypted {
		return listening.ServeTLS(bound, "", "")
	}
	return listening.Serve(bound)
}

func (s *Server) listener(requests context.Context) *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.options.HeaderTimeout,
		ReadTimeout:       s.options.ReadTimeout,
		IdleTimeout:       s.options.IdleTimeout,
		MaxHeaderBytes:    s.options.MaxHeader,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return requests },
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: sealed(), GetCertificate: s.options.Certificate},
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		// Otherwise it would be answered before any handler sees it.
		DisableGeneralOptionsHandler: true,
	}
}

// sealed lists the suites of TLS 1.2 that authenticate what they encrypt, and whose keys
// are forgotten. TLS 1.3 has no others. Those with CBC are left out.
func sealed() []uint16 {
	var suites []uint16
	for _, s := range tls.CipherSuites() {
		forward := strings.HasPrefix(s.Name, "TLS_ECDHE_")
		if forward && slices.Contains(s.SupportedVersions, tls.VersionTLS12) && !strings.Contains(s.Name, "_CBC_") {
			suites = append(suites, s.ID)
		}
	}
	return suites
}

// maxStreams is how many requests one connection of HTTP/2 may have under way.
const maxStreams = 100

func (s *Server) stop(listening *http.Server, cut context.CancelFunc) error {
	patience, done := context.WithTimeout(context.Background(), s.options.Grace)
	defer done()
	s.hush()
	if err := listening.Shutdown(patience); err != nil {
		cut()
		_ = listening.Close() // its error would say the same
		return fmt.Errorf("server: requests were cut off that did not end within %v", s.options.Grace)
	}
	return s.Close()
}

// reachedAs returns the host that an address goes by, or "" when it goes by any.
// An address that other machines reach must be allowed.
func reachedAs(a net.Addr, remote bool) (string, error) {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return "", nil // a socket file
	}
	if !tcp.IP.IsLoopback() && !remote {
		return "", fmt.Errorf("server: %v can be reached from other machines; listen on 127.0.0.1, or allow remote access", a)
	}
	if tcp.IP == nil || tcp.IP.IsUnspecified() {
		return "", nil
	}
	return tcp.IP.String(), nil
}
