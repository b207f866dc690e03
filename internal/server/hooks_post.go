package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// poster sends deliveries to addresses that strangers named: by https alone, to no
// address of this machine or a private network, following nothing, and through no proxy,
// which would look names up elsewhere.
type poster struct{ client *http.Client }

// postTime is how long one delivery may take.
const postTime = 10 * time.Second

func newPoster(c Contexts) *poster {
	dialer := &net.Dialer{Timeout: postTime / 2}
	if !c.PrivateHooks {
		dialer.Control = onlyPublic // after the name was looked up, so that it counts where it leads
	}
	return &poster{&http.Client{
		Timeout: postTime,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.HookRoots},
			TLSHandshakeTimeout: postTime / 2, MaxResponseHeaderBytes: 16 << 10, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

var errPrivate = errors.New("the address is of this machine or of a private network")

// onlyPublic refuses a connection to an address that not everybody can reach.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) {
		return errPrivate
	}
	return nil
}

// reserved are networks that are not for everybody, besides those that [netip] knows:
// shared by customers of a carrier, for tests and documents, to come, and those that
// stand for an address of version 4.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

// public reports whether an address can be anybody's on the Internet.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(a) })
}

// send sends a delivery. It arrived if the receiver says so; one that says that it is
// gone wants no more.
func (p *poster) send(ctx context.Context, d engram.Delivery) (arrived, gone bool, err error) {
	body := d.Body()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		return false, true, err // it cannot be sent anywhere
	}
	if r.URL.Scheme != "https" {
		return false, true, errors.New("the address is not https")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "satchel")
	r.Header.Set(engram.SignatureHeader, engram.SignDelivery(d.Secret, time.Now(), body))
	got, err := p.client.Do(r)
	if err != nil {
		return false, false, unaddressed(err)
	}
	defer func() { _ = got.Body.Close() }()                     // nothing is lost by it
	_, _ = io.Copy(io.Discard, io.LimitReader(got.Body, 4<<10)) // what it says does not matter
	switch {
	case got.StatusCode >= 200 && got.StatusCode < 300:
		return true, false, nil
	case got.StatusCode == http.StatusGone:
		return false, true, nil
	}
	return false, false, fmt.Errorf("the receiver answers with status %d", got.StatusCode)
}

// unaddressed leaves the address out of an error: it may hold a secret of the
// receiver's.
func unaddressed(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
