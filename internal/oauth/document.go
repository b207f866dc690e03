package oauth

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Limits of documents about clients.
const (
	maxDocument  = 10 << 10 // bytes
	maxDocuments = 200      // that are known at once
	maxFetches   = 32       // at once; the rate limit lets one address begin 25 within fetchTimeout
	documentAge  = 10 * time.Minute
	longestAge   = 24 * time.Hour
	shortestAge  = time.Minute
	fetchTimeout = 5 * time.Second
)

// documents gets the documents to which the ids of clients lead (Client ID Metadata
// Documents), and keeps good ones for a while.
type documents struct {
	http  *http.Client
	now   func() time.Time
	slots chan struct{}

	mu    sync.Mutex
	known map[string]knownDocument
}

type knownDocument struct {
	client client
	until  time.Time
}

func newDocuments(o Options) *documents {
	d := &documents{now: o.Now, slots: make(chan struct{}, maxFetches), known: map[string]knownDocument{}}
	if o.Fetch != nil {
		d.http = newFetcher(o.Fetch, cmp.Or(o.FetchTimeout, fetchTimeout))
	}
	return d
}

// isDocument reports whether the id of a client is the address of a document: https, with a
// path, and spelled in one way.
func isDocument(id string) bool {
	u, ok := redirectOf(id)
	return ok && u.Scheme == "https" && len(u.Path) > 1 && u.RawQuery == "" && !u.ForceQuery
}

// get returns the client whose id is the address of a document.
func (d *documents) get(ctx context.Context, id string) (client, *fault) {
	if d.http == nil || !isDocument(id) {
		return client{}, invalidClient("a client that is named by an address has an https one with a path, without a query")
	}
	if k, ok := d.find(id); ok {
		return k.client, nil
	}
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	default:
		return client{}, &fault{http.StatusServiceUnavailable, "temporarily_unavailable", "the server is getting other clients' documents; try again"}
	}
	// The fetch goes on if the client hangs up, and its next request finds the document.
	c, age, err := d.fetch(context.WithoutCancel(ctx), id)
	if err != nil {
		return client{}, invalidClient("the document of this client, at the address that is its id, is not good: " + err.Error())
	}
	d.keep(id, knownDocument{c, d.now().Add(age)})
	return c, nil
}

func (d *documents) find(id string) (knownDocument, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, ok := d.known[id]
	return k, ok && d.now().Before(k.until)
}

// keep keeps a document. If there are many, it forgets those that ended, or all.
func (d *documents) keep(id string, k knownDocument) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxDocuments {
		for id, old := range d.known {
			if !d.now().Before(old.until) {
				delete(d.known, id)
			}
		}
	}
	if len(d.known) >= maxDocuments {
		clear(d.known)
	}
	d.known[id] = k
}

// fetch gets a document.
func (d *documents) fetch(ctx context.Context, id string) (c client, age time.Duration, err error) {
	header, body, err := get(ctx, d.http, id, maxDocument)
	switch {
	case err != nil:
		return client{}, 0, err
	case !isDocumentType(header.Get("Content-Type")):
		return client{}, 0, errors.New("it is no JSON")
	}
	c, err = documentClient(id, body)
	return c, ageOf(header.Get("Cache-Control")), err
}

func documentClient(id string, body []byte) (client, error) {
	v, err := canon.Parse(body, textLimits(maxDocument))
	c, f := clientOf(v, err)
	switch {
	case f != nil:
		return client{}, errors.New(f.text)
	case v.Get("client_id").Text() != id:
		return client{}, errors.New("its client_id is another one")
	case c.Name == "":
		return client{}, errors.New("it has no client_name")
	case v.Has("client_secret"), !isPublic(v):
		return client{}, errors.New("this server knows clients that prove nothing at /token: let token_endpoint_auth_method, or one of token_endpoint_auth_methods_supported, be none")
	}
	u, err := url.Parse(id)
	if err != nil {
		return client{}, errors.New("its client_id is no address")
	}
	c.Host, c.URI = u.Host, id
	return c, nil
}

// isPublic reports whether a client can do without proving who it is at /token. Clients choose
// among the ways that the metadata of both names.
func isPublic(v canon.Value) bool {
	many := v.Get("token_endpoint_auth_methods_supported")
	return slices.Contains([]string{"", "none"}, v.Get("token_endpoint_auth_method").Text()) || many.Type() == canon.TypeArray && allows(many, "none")
}

func isDocumentType(media string) bool {
	plain, _, _ := strings.Cut(media, ";")
	return isJSON(media) || strings.HasSuffix(strings.ToLower(strings.TrimSpace(plain)), "+json")
}

// ageOf returns how long an answer may be kept, within limits.
func ageOf(control string) time.Duration {
	for _, part := range strings.Split(strings.ToLower(control), ",") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(part), "max-age="); ok {
			if n, err := strconv.Atoi(text); err == nil && n >= 0 {
				return min(max(time.Duration(min(n, 1<<20))*time.Second, shortestAge), longestAge)
			}
		}
	}
	return documentAge
}
