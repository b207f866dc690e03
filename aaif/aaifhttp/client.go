package aaifhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Client sends requests to other platforms, over https or to this machine. It follows
// redirects within the requested origin only, and only for reading requests. The zero
// Client is ready for use.
type Client struct {
	// HTTP sends the requests; nil: a default client. The Client ignores its redirect
	// policy and its cookies.
	HTTP *http.Client
	// Token is sent as a bearer token; empty: none.
	Token string
	// Now returns the time; nil: no manifest expires.
	Now func() time.Time
	// Most is the most bytes read of an answer; 0: 1 MiB.
	Most int64
	// Warn gets messages about tolerated problems; nil: they are dropped.
	Warn func(string)
	// Head is sent along with states; nil: nothing is.
	Head http.Header
	// Local allows sending states unencrypted to this machine, for tests and for a local
	// proxy.
	Local bool
}

// The time limits of a client.
const (
	maxAnswer  = 1 << 20
	answerTime = 30 * time.Second
	maxHops    = 5
)

// ErrElsewhere means that another origin would answer.
var ErrElsewhere = errors.New("another origin")

// call is a request.
type call struct {
	method, media, token, accept string
	to                           *url.URL
	body                         io.Reader
	header                       http.Header
	slow                         bool // limited by its context only
}

// endpoint checks an address. States need encryption, and an unencrypted address is
// refused before any connection (AAIF-8.3-5, AAIF-12-11).
func (c Client) endpoint(address string, clear bool) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, &memory.Error{Kind: memory.InvalidRecord, Message: "the address of a platform is spelled https://HOST/PATH"}
	}
	switch {
	case u.User != nil:
		return nil, &memory.Error{Kind: memory.InvalidRecord, Message: "an address holds no credentials; show a token instead"}
	case u.Scheme == "wss":
		return nil, &memory.Error{Kind: memory.Unsupported, Message: "states are sent over HTTPS here, not over WebSockets; ask the platform for such an address"}
	case u.Scheme != "https" && !(u.Scheme == "http" && clear && loopbackName(u.Hostname())):
		return nil, &aaif.Fault{Code: TLSRequired, Text: "nothing is sent in the clear to other machines, and no states at all; use an address that begins with https://"}
	}
	if u.Fragment != "" {
		c.warn("the address has a fragment, which means nothing here and is left out")
		u.Fragment, u.RawFragment = "", ""
	}
	return u, nil
}

func (c Client) warn(text string) {
	if c.Warn != nil {
		c.Warn(text)
	}
}

// loopbackName reports whether a host is this machine.
func loopbackName(host string) bool { return host == "localhost" || host != "" && isLoopbackIP(host) }

// do sends a request and reads the answer.
func (c Client) do(ctx context.Context, call call) (*http.Response, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, call.method, call.to.String(), call.body)
	if err != nil {
		return nil, nil, err
	}
	if call.body != nil {
		maps.Copy(r.Header, c.Head)
	}
	maps.Copy(r.Header, call.header)
	r.Header.Set("Accept", call.accept)
	if call.media != "" {
		r.Header.Set("Content-Type", call.media)
	}
	if call.token != "" {
		r.Header.Set("Authorization", "Bearer "+call.token)
	}
	got, err := c.httpClient(call.slow).Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = got.Body.Close() }() // everything readable has been read
	most := c.Most
	if most == 0 {
		most = maxAnswer
	}
	body, err := io.ReadAll(io.LimitReader(got.Body, most+1))
	switch {
	case got.StatusCode >= 300:
		return got, nil, refusalOf(got, body)
	case err != nil:
		return nil, nil, fmt.Errorf("the answer breaks off: %w", err)
	case int64(len(body)) > most:
		return nil, nil, &aaif.Fault{Code: aaif.TooLarge, Text: fmt.Sprintf("the answer is longer than %d bytes", most)}
	}
	return got, body, nil
}

// httpClient returns the client that sends the requests.
func (c Client) httpClient(slow bool) *http.Client {
	h := http.Client{}
	if c.HTTP != nil {
		h = *c.HTTP
	}
	h.Jar, h.CheckRedirect = nil, sameOrigin
	if h.Timeout == 0 && !slow {
		h.Timeout = answerTime
	}
	return &h
}

// sameOrigin refuses redirects to another origin, and of requests that do more than read.
func sameOrigin(r *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host:
		return fmt.Errorf("%w: the platform sends the request on to %s", ErrElsewhere, r.URL.Host)
	case first.Method != http.MethodGet:
		return errors.New("the platform sends on what is for it alone")
	case len(via) > maxHops:
		return errors.New("the platform sends the request on and on")
	}
	return nil
}

// tree reads a JSON answer; undefined if it is none.
func tree(body []byte) canon.Value {
	v, err := aaif.FromJSON(body, aaif.ReadOptions{})
	if err != nil {
		return canon.Value{}
	}
	return v
}

// printable prepares a platform's message for display.
func printable(said string) string {
	const most = 400
	said = strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029 {
			return -1
		}
		return c
	}, strings.ToValidUTF8(said, ""))
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "") + "…"
	}
	return said
}
