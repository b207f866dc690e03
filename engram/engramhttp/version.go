package engramhttp

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
)

// versionHeader is where a request may say its version, besides its query and its
// body (decision E-33).
const versionHeader = "Engram-Version"

// checkVersion refuses a request that is of a version not spoken here
// (ENGRAM-3.10-9).
func checkVersion(r *http.Request) error {
	said := slices.Clone(r.Header.Values(versionHeader))
	if q, err := url.ParseQuery(r.URL.RawQuery); err == nil {
		said = append(said, q[versionMember]...)
	}
	for _, v := range said {
		if _, err := engram.CheckVersion(v, ""); err != nil {
			return err
		}
	}
	return nil
}

// versionMember is the name of the version in a query and a body.
const versionMember = "engram_version"

// acceptable refuses a request that wants something other than JSON
// (ENGRAM-3.9-CTX-3).
func acceptable(r *http.Request) error {
	said := r.Header.Values("Accept")
	if len(said) == 0 {
		return nil
	}
	for part := range strings.SplitSeq(strings.Join(said, ","), ",") {
		media, parameters, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil || strings.Trim(parameters["q"], "0.") == "" && parameters["q"] != "" {
			continue
		}
		switch media {
		case "*/*", "application/*", "application/json", "application/schema+json", "application/jrd+json", "application/jwk-set+json":
			return nil
		}
	}
	return &answer{status: http.StatusNotAcceptable, detail: "what is served here is application/json"}
}
