package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/text/internet"
)

// webhookClient sends deliveries to addresses that strangers chose. It uses https only,
// never an address of this machine or a private network. It follows no redirect and uses no
// proxy, which would resolve names elsewhere.
type webhookClient struct{ client *http.Client }

// deliveryTimeout is how long one delivery may take.
const deliveryTimeout = 10 * time.Second

func newWebhookClient(c Contexts) *webhookClient {
	return &webhookClient{&http.Client{
		Timeout:       deliveryTimeout,
		Transport:     outsideTransport(c.HookRoots, c.PrivateHooks),
		CheckRedirect: httpkit.NoRedirect,
	}}
}

var errPrivate = errors.New("the address is of this machine or of a private network")

// requirePublic refuses a connection to an address that is not public.
func requirePublic(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !internet.IsPublic(at.Addr()) {
		return errPrivate
	}
	return nil
}

// send sends a delivery. It arrived if the receiver says so; a receiver that answers "gone"
// wants no more.
func (p *webhookClient) send(ctx context.Context, d engram.Delivery) (arrived, gone bool, err error) {
	body := d.Body()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		return false, true, err // no client can send it
	}
	if r.URL.Scheme != "https" {
		return false, true, errors.New("the address is not https")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "satchel")
	r.Header.Set(engram.SignatureHeader, engram.SignDelivery(d.Secret, time.Now(), body))
	got, err := p.client.Do(r)
	if err != nil {
		return false, false, withoutURL(err)
	}
	defer func() { _ = got.Body.Close() }()                     // an error loses nothing
	_, _ = io.Copy(io.Discard, io.LimitReader(got.Body, 4<<10)) // the server ignores the answer's text
	switch {
	case got.StatusCode >= 200 && got.StatusCode < 300:
		return true, false, nil
	case got.StatusCode == http.StatusGone:
		return false, true, nil
	}
	return false, false, fmt.Errorf("the receiver answers with status %d", got.StatusCode)
}

// withoutURL removes the address from an error: it may hold a secret of the receiver.
func withoutURL(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
