package umpmcp

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// The id of a session that no server keeps is a name and, after a dot, what the
// client called itself when it began, in base64. It tells what any client may say of
// itself, and opens nothing.

// maxID is the most bytes of the name.
const maxID = 64

// sessionID returns the id of a session.
func sessionID(name, client string) string {
	return name + "." + base64.RawURLEncoding.EncodeToString([]byte(plain(client)))
}

// parseSessionID returns what [sessionID] was given; of an id that some other
// server made, a name at most.
func parseSessionID(id string) (name, client string) {
	name, encoded, _ := strings.Cut(id, ".")
	if len(name) > maxID || strings.IndexFunc(name, notAlphanumeric) >= 0 || len(encoded) > base64.RawURLEncoding.EncodedLen(maxAgent) {
		return "", ""
	}
	said, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return name, ""
	}
	return name, plain(string(said))
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// conversing returns a caller with what the id of its session says, where sessions
// are not kept.
func (h *HTTP) conversing(r *http.Request, c memory.Caller) memory.Caller {
	if !h.options.Stateless || r.Header.Get("Mcp-Protocol-Version") >= sessionless {
		return c
	}
	session, agent := parseSessionID(r.Header.Get("Mcp-Session-Id"))
	if c.Session == "" {
		c.Session = session
	}
	if c.Agent == "" {
		c.Agent = agent
	}
	return c
}

// name gives a session that begins with a message an id, where sessions are not
// kept.
func (h *HTTP) name(w http.ResponseWriter, r *http.Request, message []byte) {
	if !h.options.Stateless || h.options.NewID == nil || r.Header.Get("Mcp-Session-Id") != "" {
		return
	}
	var m struct {
		Method string
		Params struct{ ClientInfo struct{ Name string } }
	}
	if json.Unmarshal(message, &m) == nil && m.Method == "initialize" {
		w.Header().Set("Mcp-Session-Id", sessionID(h.options.NewID(), m.Params.ClientInfo.Name))
	}
}
