package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// fetchPatience is how long fetching keys may take.
const fetchPatience = 15 * time.Second

// fetchKeys fetches the keys at a URL. The URL comes from the command line only (decision
// AD-25).
func (a *App) fetchKeys(raw string) ([]aimem.Key, string, error) {
	data, from, err := a.Fetch(raw, aimem.KeyPath, aimem.KeyMediaType, aimem.MaxKeySet)
	if err != nil {
		return nil, "", err
	}
	found, err := aimem.DecodeKeys(data)
	return found, from, WithStatus(ExitInvalid, err)
}

// Fetch fetches a list of keys of at most most bytes, from path if the URL names a server's
// root, and returns its final address. It contacts no server but the URL's.
func (a *App) Fetch(raw, path, accept string, most int64) (data []byte, from string, err error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, "", Usagef("this is no URL that keys can be fetched from; write https://HOST")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !httpkit.OnThisMachine(u)) {
		return nil, "", Usagef("keys are fetched over https only, or from this machine: anybody on the way could put in another")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = path
	}
	request, err := http.NewRequestWithContext(a.Ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Accept", accept)
	client := &http.Client{
		Timeout:       fetchPatience,
		CheckRedirect: httpkit.NoRedirect,
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, "", fmt.Errorf("fetch the key: %w", err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotFound:
		return nil, "", fmt.Errorf("%s publishes no key there; ask its owner for the key", Clean(u.Host))
	case response.StatusCode != http.StatusOK:
		return nil, "", fmt.Errorf("%s answers with %d; name the URL where the key itself is", Clean(u.Host), response.StatusCode)
	}
	data, err = io.ReadAll(io.LimitReader(response.Body, most+1))
	if err != nil {
		return nil, "", fmt.Errorf("fetch the key: %w", err)
	}
	return data, u.String(), nil
}
