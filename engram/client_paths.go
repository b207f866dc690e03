package engram

import (
	"context"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// endpoints are the paths of a store (section 3.9, discovery).
type endpoints struct{ context, diff, correct string }

// The standard paths.
const (
	contextPath = "/v1/context"
	diffPath    = "/v1/context/diff"
	correctPath = "/v1/context/correct"
)

// endpoints asks the store once for its paths. A store that names none uses the standard
// paths (ENGRAM-3.9-DISC-6). The keys are always at their standard path.
func (c *Client) endpoints(ctx context.Context) (endpoints, error) {
	if c.paths != nil {
		return *c.paths, nil
	}
	found := endpoints{c.base + contextPath, c.base + diffPath, c.base + correctPath}
	got, err := c.o.Transport.Do(ctx, Request{Method: "GET", URL: c.base + DiscoveryPath, Most: maxSmall})
	if err != nil {
		return found, err
	}
	v, err := canon.Parse(got.Body, canon.Options{Bytes: maxSmall, Inexact: true})
	if err == nil && got.Status == 200 {
		said := v.Get("endpoints")
		c.take(&found.context, said.Get("context"))
		c.take(&found.diff, said.Get("diff"))
		c.take(&found.correct, said.Get("correct"))
	}
	if got.Status < 500 { // otherwise it may answer the next time
		c.paths = &found
	}
	return found, nil
}

// take accepts an advertised path on the store's own origin. Any other address would
// receive the token.
func (c *Client) take(to *string, said canon.Value) {
	path := said.Text()
	if said.Type() == canon.TypeUndefined {
		return
	}
	plain := strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") && !strings.ContainsAny(path, "?#\\%@ ") && !strings.Contains(path, "/.") && oneLine(path) == path
	if !plain {
		if c.o.Log != nil {
			c.o.Log("an endpoint that the store advertises is no path below its address; the standard one is used", "store", c.base)
		}
		return
	}
	*to = c.base + path
}
