package operate

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/ump"
)

// proofLasts is how long the token of this command is valid. It shows that the owner's key is
// here.
const proofLasts = 2 * time.Minute

// elsewhere gets a link from a server that keeps this owner's memory and not the key. The
// token for it names the server, which can therefore use it nowhere else.
func (c *OpenCmd) elsewhere(a *cli.App, u *url.URL) error {
	if u.Scheme != "https" && !(u.Scheme == "http" && httpkit.OnThisMachine(u)) {
		return cli.Usagef("%s can be read on its way: write https://", cli.Clean(c.Page))
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		origin := u.Scheme + "://" + strings.ToLower(u.Host)
		token, err := proofFor(o, origin, a.Now().Add(proofLasts))
		if err != nil {
			return err
		}
		entered, err := c.exchange(a, u, origin, token)
		if err != nil {
			return err
		}
		page := strings.Trim(strings.TrimPrefix(u.Path, strings.TrimSuffix(pages.Root, "/")), "/")
		return c.hand(a, o.Dir, link{URL: pages.EntranceLink(origin, page, entered.Secret), Ends: entered.Ends})
	})
}

// proofFor makes a token that its owner shows at one origin.
func proofFor(o *cli.Session, origin string, ends time.Time) (string, error) {
	key, open := o.OpenKey(o.Owner)
	if !open {
		return "", cli.Refusedf("the key of %s is not here: run this where it is", o.Owner)
	}
	return ump.MintToken(ump.Claims{Issuer: o.Owner, Subject: string(o.Owner), Audience: origin, Verbs: memory.Verbs(), ID: rand.Text(), Expires: ends}, key)
}

// exchange shows a token to a server, which gives the secret of a link for it.
func (c *OpenCmd) exchange(a *cli.App, u *url.URL, origin, token string) (pages.Entrance, error) {
	s := cli.Server{URL: c.Page, CA: c.CA}
	client, err := s.Client()
	if err != nil {
		return pages.Entrance{}, err
	}
	client.Timeout = time.Minute
	r, err := http.NewRequestWithContext(a.Ctx, http.MethodPost, origin+pages.ExchangePath, strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		return pages.Entrance{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got, err := client.Do(r)
	if err != nil {
		return pages.Entrance{}, s.WithAdvice(err)
	}
	defer got.Body.Close()
	return enteredBy(got, u)
}

// secretForm is the form of a secret, which goes to a terminal and to a browser.
var secretForm = pattern.New(`^[A-Za-z0-9_-]{20,100}(\.did:[A-Za-z0-9:._%-]{1,200})?$`)

// enteredBy reads what a server gives for a token.
func enteredBy(got *http.Response, u *url.URL) (e pages.Entrance, err error) {
	switch got.StatusCode {
	case http.StatusOK:
		err = json.NewDecoder(io.LimitReader(got.Body, cli.MaxSmall)).Decode(&e)
		if err != nil || !secretForm.MatchString(e.Secret) {
			return e, errors.Join(cli.Refusedf("%s does not answer as a server of Satchel: is the address right?", cli.Clean(u.Host)), err)
		}
		return e, nil
	case http.StatusForbidden:
		return e, cli.Refusedf("%s does not let this owner in: it keeps no memory of theirs, it knows itself by another address than %s, or the clocks differ by minutes", cli.Clean(u.Host), cli.Clean(u.Scheme+"://"+u.Host))
	case http.StatusTooManyRequests:
		return e, cli.Refusedf("%s takes no more tries from here for now: wait a minute", cli.Clean(u.Host))
	}
	return e, cli.Refusedf("%s shows no pages (it answers %d)", cli.Clean(u.Host), got.StatusCode)
}
