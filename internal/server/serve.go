package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Serve answers requests at l until ctx is cancelled. For the options' drain it then still
// answers and says that it is about to stop. After that it takes no new requests and waits
// for the running ones within the options' grace. It returns nil, or an error if it had to
// cut some off.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	host, err := hostOf(l.Addr(), o.AllowRemote)
	if err != nil {
		return err
	}
	if host != "" {
		o.Hosts = append([]string{host}, o.Hosts...)
	}
	if o.Pages.alone = host == "" && isSocket(l.Addr()) || isLoopbackName(host); o.Pages.Name != "" {
		o.Hosts = append([]string{o.Pages.Name}, o.Hosts...)
	}
	s, err := newServer(o)
	if err != nil {
		return err
	}
	defer s.closePages() //nolint:errcheck // Close tells it, if nothing else fails before
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	listening := s.listener(requests)
	failed := make(chan error, 1)
	runs := s.startRunner()
	defer func() { runs.stop(); runs.cut(); <-runs.done }()
	go func() { failed <- s.listen(listening, l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-ctx.Done():
		s.stopping.Store(true)
		runs.stop()
	}
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-time.After(s.options.Drain):
		return s.stop(listening, runs, cut)
	}
}

// listen answers connections at l, with TLS if there is a certificate.
func (s *server) listen(listening *http.Server, l net.Listener) error {
	encrypted := s.options.Certificate != nil
	room := newSlotPool(s.options.MaxConnections, s.options.MaxConnectionsEach)
	bound := limitConnections(l, room, !encrypted, s.metrics.refuseConnection)
	listening.ConnState = bound.trackState
	if encrypted {
		return listening.ServeTLS(bound, "", "")
	}
	return listening.Serve(bound)
}

func (s *server) listener(requests context.Context) *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.options.HeaderTimeout,
		ReadTimeout:       s.options.ReadTimeout,
		IdleTimeout:       s.options.IdleTimeout,
		MaxHeaderBytes:    s.options.MaxHeader,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return requests },
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: cipherSuites(), GetCertificate: s.options.Certificate},
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		// Without it net/http would answer before any handler.
		DisableGeneralOptionsHandler: true,
	}
}

// cipherSuites lists the suites of TLS 1.2 with authenticated encryption and forward
// secrecy. TLS 1.3 has no others. Those with CBC are left out.
func cipherSuites() []uint16 {
	var suites []uint16
	for _, s := range tls.CipherSuites() {
		forward := strings.HasPrefix(s.Name, "TLS_ECDHE_")
		if forward && slices.Contains(s.SupportedVersions, tls.VersionTLS12) && !strings.Contains(s.Name, "_CBC_") {
			suites = append(suites, s.ID)
		}
	}
	return suites
}

// maxStreams is how many requests may run on one HTTP/2 connection.
const maxStreams = 100

func (s *server) stop(listening *http.Server, runs *runner, cut context.CancelFunc) error {
	patience, done := context.WithTimeout(context.Background(), s.options.Grace)
	defer done()
	s.endStreams()
	if err := listening.Shutdown(patience); err != nil {
		cut()
		_ = listening.Close() // its error would say the same
		return errors.Join(fmt.Errorf("server: requests were cut off that did not end within %v", s.options.Grace), runs.end(patience))
	}
	return errors.Join(runs.end(patience), s.Close())
}

// isSocket reports whether an address is a file, which only this machine can reach.
func isSocket(a net.Addr) bool {
	_, tcp := a.(*net.TCPAddr)
	return !tcp
}

// hostOf returns the host of an address, or "" if the address has none. An address that
// other machines can reach must be allowed.
func hostOf(a net.Addr, remote bool) (string, error) {
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
