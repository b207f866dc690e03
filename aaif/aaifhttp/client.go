package aaifhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Client speaks to other platforms: over https, or to this machine. What it is sent on
// to stays within the origin that was asked, and only questions are sent on. The zero
// Client is ready for use.
type Client struct {
	// HTTP carries requests; nil: a client with nothing set. Neither its redirects nor
	// its cookies are used.
	HTTP *http.Client
	// Token is shown to the platform as a bearer; empty: none is.
	Token string
	// Now tells the time; nil: no manifest expires.
	Now func() time.Time
	// Most is how many bytes of an answer are read at most; 0: 1 MiB.
	Most int64
	// Warn is told of what is put up with. nil: nobody is told.
	Warn func(string)
	// Local lets states be sent in the clear to this machine: for tests, and to a
	// proxy on it.
	Local bool
}

// Bounds of what a client waits for.
const (
	maxAnswer  = 1 << 20
	answerTime = 30 * time.Second
	maxHops    = 5
)

// ErrElsewhere: an answer would come from another origin than was asked.
var ErrElsewhere = errors.New("another origin")

// call is a request that a client makes.
type call struct {
	method, media, token, accept string
	to                           *url.URL
	body                         io.Reader
	header                       http.Header
	slow                         bool // it may take as long as its context lets it
}

// endpoint reads an address that is asked. To where states go nothing may go in the
// clear, which is refused before anything is connected to (AAIF-8.3-5, AAIF-12-11).
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

// do makes a request and reads the answer.
func (c Client) do(ctx context.Context, call call) (*http.Response, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, call.method, call.to.String(), call.body)
	if err != nil {
		return nil, nil, err
	}
	for name, values := range call.header {
		r.Header[name] = values
	}
	r.Header.Set("Accept", call.accept)
	if call.media != "" {
		r.Header.Set("Content-Type", call.media)
	}
	if call.token != "" {
		r.Header.Set("Authorization", "Bearer "+call.token)
	}
	got, err := c.carrier(call.slow).Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = got.Body.Close() }() // what could be read has been read
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

// carrier is what carries the requests.
func (c Client) carrier(slow bool) *http.Client {
	h := http.Client{}
	if c.HTTP != nil {
		h = *c.HTTP
	}
	h.Jar, h.CheckRedirect = nil, within
	if h.Timeout == 0 && !slow {
		h.Timeout = answerTime
	}
	return &h
}

// within refuses to be sent on to another origin, and with anything but a question.
func within(r *http.Request, via []*http.Request) error {
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

// tree reads an answer in JSON; the undefined Value, where it is none.
func tree(body []byte) canon.Value {
	v, err := aaif.FromJSON(body, aaif.ReadOptions{})
	if err != nil {
		return canon.Value{}
	}
	return v
}

// shown makes what a platform says fit to be shown.
func shown(said string) string {
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
