package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/openapi"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// described is the description of a server, in JSON and for people.
type described struct {
	json  []byte
	pages *openapi.Pages
}

// aboutServer says what every route shares.
const aboutServer = `Memory that its owner carries. A route that answers GET answers HEAD as well. ` +
	`The owner's pages below /me/, which are HTML for a browser of this machine, are not described. ` +
	`A request without a token that a route needs gets 401; one with a token that does not allow it 403. ` +
	`Refusals say what to do, in the form of the protocol that the route belongs to.`

// describe makes the description of the routes that the server offers.
func (s *server) describe() (described, error) {
	said, err := openapi.Document(openapi.Info{Title: "Satchel", Version: s.options.Release, Text: aboutServer, License: "Apache-2.0"}, s.descriptions())
	if err != nil {
		return described{}, err
	}
	shown, err := openapi.NewPages(said)
	return described{said, shown}, err
}

// descriptions are what the server's bindings say of their routes.
func (s *server) descriptions() []httpkit.Description {
	all := []httpkit.Description{s.ump.Describe()}
	if s.engram != nil {
		all = append(all, s.engram.Describe())
	}
	all = append(all, s.mcp.Describe())
	if s.aimem != nil {
		all = append(all, s.aimem.Describe())
	}
	if s.aaif != nil {
		all = append(all, s.aaif.Describe())
	}
	if s.a2a != nil {
		all = append(all, s.a2a.Describe())
	}
	if s.options.oauth != nil {
		all = append(all, s.options.oauth.Describe())
	}
	return append(all, s.describeOwn(all[0].Errors))
}

// describeOwn describes the routes that belong to no protocol. Their refusals are those of
// UMP.
func (s *server) describeOwn(errors httpkit.Errors) httpkit.Description {
	own := s.own.Offered(s)
	for i := range own {
		if own[i].Path == "/metrics" && s.options.OpenMetrics {
			own[i].Who = httpkit.Everyone
		}
	}
	errors.Always = []int{http.StatusForbidden, http.StatusTooManyRequests}
	return httpkit.Description{Name: "server", Title: "The server itself", Text: "How it is, and what it offers.", Routes: own, Errors: errors,
		Schemas: map[string]json.RawMessage{"Description": json.RawMessage(`{"type":"object","description":"A description of OpenAPI 3.1.","required":["openapi","info","paths"]}`),
			"Pairing": json.RawMessage(`{"type":"object","description":"A step of a pairing. Bytes are base64.","properties":{"step":{"enum":["hello","offer","confirm","leave"]},"attempt":{"type":"string"},"proof":{"type":"string"},"sealed":{"type":"string"},"error":{"type":"object","required":["code","message"],"properties":{"code":{"type":"string"},"message":{"type":"string"}}}}}`)}}
}

// showDescription serves the description. It says nothing of anybody.
func (s *server) showDescription(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	d, err := s.described()
	if err != nil {
		return err
	}
	sendPublic(w, r, "application/json", d.json)
	return nil
}

// showDocs serves the description for people. The pages need no script and nothing of
// another server.
func (s *server) showDocs(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	if r.URL.Path == "/docs/style.css" {
		sendPublic(w, r, "text/css; charset=utf-8", append(pages.Style(), openapi.Style()...))
		return nil
	}
	d, err := s.described()
	if err != nil {
		return err
	}
	var page []byte
	switch name := r.PathValue("name"); {
	case name == "":
		page, err = d.pages.Index()
	case strings.HasPrefix(r.URL.Path, "/docs/shapes/"):
		page, err = d.pages.Shape(name)
	default:
		page, err = d.pages.Operation(name)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	sendPublic(w, r, "text/html; charset=utf-8", page)
	return nil
}

// sendPublic answers with what is the same for everybody, or with 304 if the client has it.
func sendPublic(w http.ResponseWriter, r *http.Request, media string, body []byte) {
	sum := sha256.Sum256(body)
	w.Header().Set("Cache-Control", "public, max-age=300")
	httpkit.SendTagged(w, r, media, body, hex.EncodeToString(sum[:8]))
}
