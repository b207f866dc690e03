package engramhttp

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
)

// versionHeader is the header with the request's version, besides its query and body
// (decision E-33).
const versionHeader = "Engram-Version"

// checkVersion refuses a request of an unsupported version (ENGRAM-3.10-9).
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

// versionMember is the member with the version in a query and a body.
const versionMember = "engram_version"

// checkAccept refuses a request that does not accept JSON (ENGRAM-3.9-CTX-3).
func checkAccept(r *http.Request) error {
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
