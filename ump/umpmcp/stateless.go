package umpmcp

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Without sessions on the server, the id of a session is a name, a dot and the client's
// own name in base64. It contains only what any client may claim, and grants nothing.

// maxID is the most bytes of the name.
const maxID = 64

// sessionID returns the id of a session.
func sessionID(name, client string) string {
	return name + "." + base64.RawURLEncoding.EncodeToString([]byte(printableName(client)))
}

// parseSessionID is the inverse of [sessionID]. For an id of another server it returns at
// most a name.
func parseSessionID(id string) (name, client string) {
	name, encoded, _ := strings.Cut(id, ".")
	if len(name) > maxID || strings.IndexFunc(name, notAlphanumeric) >= 0 || len(encoded) > base64.RawURLEncoding.EncodedLen(maxAgent) {
		return "", ""
	}
	said, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return name, ""
	}
	return name, printableName(string(said))
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// withSession adds session and agent from the id of the session to a caller, if the
// server keeps no sessions.
func (h *HTTP) withSession(r *http.Request, c memory.Caller) memory.Caller {
	if !h.options.Stateless || r.Header.Get("Mcp-Protocol-Version") >= firstSessionless {
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

// setSessionID sets the id of a session that begins with a message, if the server keeps
// no sessions.
func (h *HTTP) setSessionID(w http.ResponseWriter, r *http.Request, message []byte) {
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
