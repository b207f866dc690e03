package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/internal/modelhttp"
	"github.com/satchel-memory/satchel/text/internet"
)

// The bounds of what is fetched as context.
const (
	mostFetched = 256<<10 + 1
	mostHops    = 3
)

// fetch reads what lies at an address that a definition names as context, with its media
// type: over https, from the Internet alone, whatever a name resolves to (AAIF-12-1,
// AAIF-12-7).
func fetch(ctx context.Context, address string) ([]byte, string, error) {
	once := modelhttp.Guarded(internet.IsPublic)
	once.DisableKeepAlives = true
	client := http.Client{
		Transport: once,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > mostHops {
				return errors.New("it leads from one address to the next")
			}
			return fetchable(r.URL)
		},
	}
	u, err := url.Parse(address)
	if err == nil {
		err = fetchable(u)
	}
	if err != nil {
		return nil, "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, "", err
	}
	got, err := client.Do(r)
	if err != nil {
		return nil, "", errors.New("it cannot be reached")
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("it answers with status %d", got.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(got.Body, mostFetched))
	return body, got.Header.Get("Content-Type"), err
}

func fetchable(u *url.URL) error {
	if u.Scheme != "https" || u.User != nil || !internet.IsPublicHost(strings.ToLower(u.Hostname())) {
		return errors.New("only https addresses of the Internet are read")
	}
	return nil
}
