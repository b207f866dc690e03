package oauth

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Limits of a registration. Its id holds all of it, so that nothing is stored.
const (
	maxRedirects      = 10
	maxRedirectsBytes = 1500 // of all of them
	maxName           = 100  // bytes
	registrationLasts = 400 * 24 * time.Hour
	registeredPrefix  = "reg_"
	nonceLength       = 16
)

// client is an assistant.
type client struct {
	Name      string   `json:"n"`
	Redirects []string `json:"r"`
	Made      int64    `json:"t"` // seconds since 1970; of a registration
	Nonce     string   `json:"i"` // tells registrations apart
	Host      string   `json:"-"` // of the document that names it; empty: it registered itself
	URI       string   `json:"-"` // of the document
}

// textLimits limit what is read of a document about a client.
func textLimits(most int64) canon.Options {
	return canon.Options{Bytes: most, Depth: 8, Inexact: true}
}

// register registers a client (RFC 7591). Every client gets to know what a public one does:
// no secret, the code flow.
func (h *Handler) register(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	c, f := registration(w, r)
	if f != nil {
		return f
	}
	c.Made, c.Nonce = h.options.Now().Unix(), h.options.NewID()[:nonceLength]
	id, err := h.seal.seal("registration", c)
	if err != nil || len(registeredPrefix+id) > maxSealed {
		return invalidMetadata("the name and the redirect_uris are too long together")
	}
	sendJSON(w, http.StatusCreated, struct {
		ID        string   `json:"client_id"`
		Made      int64    `json:"client_id_issued_at"`
		Name      string   `json:"client_name,omitempty"`
		Redirects []string `json:"redirect_uris"`
		Grants    []string `json:"grant_types"`
		Responses []string `json:"response_types"`
		Auth      string   `json:"token_endpoint_auth_method"`
	}{registeredPrefix + id, c.Made, c.Name, c.Redirects, []string{"authorization_code", "refresh_token"}, []string{"code"}, "none"})
	return nil
}

func registration(w http.ResponseWriter, r *http.Request) (client, *fault) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return client{}, invalidMetadata("send application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return client{}, &fault{http.StatusRequestEntityTooLarge, "invalid_client_metadata", "the registration is longer than 16 KiB, or broke on the way"}
	}
	v, err := canon.Parse(body, textLimits(maxBody))
	return clientOf(v, err)
}

// clientOf reads the metadata of a client, in a registration or a document (RFC 7591,
// section 2). err is that of parsing it.
func clientOf(v canon.Value, err error) (client, *fault) {
	if err != nil || v.Type() != canon.TypeObject {
		return client{}, invalidMetadata("send one object of JSON, with each member once")
	}
	c := client{Name: plainName(v.Get("client_name").Text())}
	total := 0
	for _, item := range v.Get("redirect_uris").Items() {
		u := item.Text()
		if _, ok := redirectOf(u); !ok {
			return client{}, &fault{http.StatusBadRequest, "invalid_redirect_uri", "a redirect URI is https, or http to localhost, 127.0.0.1 or [::1], without user, fragment and dot segments"}
		}
		total += len(u)
		c.Redirects = append(c.Redirects, u)
	}
	switch {
	case len(c.Redirects) == 0:
		return client{}, &fault{http.StatusBadRequest, "invalid_redirect_uri", "name at least one of redirect_uris"}
	case len(c.Redirects) > maxRedirects || total > maxRedirectsBytes:
		return client{}, &fault{http.StatusBadRequest, "invalid_redirect_uri", "name at most 10 redirect_uris, of 1,500 bytes in all"}
	case !allows(v.Get("grant_types"), "authorization_code"), !allows(v.Get("response_types"), "code"):
		return client{}, invalidMetadata("this server knows grant_types authorization_code and refresh_token, and response_types code")
	}
	return c, nil
}

// allows reports whether a list has a member, or is not there.
func allows(list canon.Value, member string) bool {
	if list.Type() != canon.TypeArray {
		return list.Type() != canon.TypeString && list.Type() != canon.TypeObject
	}
	for _, item := range list.Items() {
		if item.Text() == member {
			return true
		}
	}
	return false
}

func isJSON(media string) bool {
	plain, _, _ := strings.Cut(media, ";")
	return strings.EqualFold(strings.TrimSpace(plain), "application/json")
}

// plainName returns a name that a stranger chose, short and without what could rearrange a
// page: controls and marks that change the direction of text.
func plainName(name string) string {
	name = strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if c == utf8.RuneError || unicode.Is(unicode.Cf, c) || unicode.IsControl(c) {
			return ' '
		}
		return c
	}, name)), " ")
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name
}

func invalidMetadata(text string) *fault {
	return &fault{http.StatusBadRequest, "invalid_client_metadata", text}
}

func invalidClient(text string) *fault {
	return &fault{http.StatusUnauthorized, "invalid_client", text}
}

// clientNamed returns the client with an id.
func (h *Handler) clientNamed(ctx context.Context, id string) (client, *fault) {
	if strings.HasPrefix(id, "https://") {
		return h.documents.get(ctx, id)
	}
	c, ok := h.registered(id)
	if !ok {
		return client{}, invalidClient("there is no such client: remove the connection in the assistant and add it again")
	}
	return c, nil
}

// registered returns a client that registered itself here, and not too long ago.
func (h *Handler) registered(id string) (c client, ok bool) {
	sealed, ok := strings.CutPrefix(id, registeredPrefix)
	ok = ok && h.seal.open("registration", sealed, &c)
	return c, ok && h.options.Now().Sub(time.Unix(c.Made, 0)) < registrationLasts
}
