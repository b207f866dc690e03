package pages

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// An owner may keep the own key: the server can sign nothing then. Instead of a form that
// would fail, such an owner sees the lines that do the same where the key is.

// signing is an act that needs the owner's key, as command lines.
type signing struct {
	Title, At, Back string
	Lines           []string
	Note            string // what else to know; empty: nothing
}

// signingPage shows how an owner does something with the own key.
type signingPage struct {
	frame
	Signing signing
}

// keyed serves an act that needs the owner's signature. Who keeps the own key sees the lines
// for it instead, and nothing is changed.
func (h *Handler) keyed(lines func(*http.Request) signing, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := h.visitor(r)
		if err != nil || !v.alone {
			next.ServeHTTP(w, r)
			return
		}
		status, s := http.StatusOK, lines(r)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			status = http.StatusConflict
		}
		h.show(w, r, status, "signing", signingPage{h.frame(r, v, s.Title, s.At), s})
	})
}

// tokenLine makes the token that a line of sendLine shows.
const tokenLine = `token=$(satchel token mint --self --for 1h)`

// sendLine is a command line that sends one memory, which a command of the owner's own store
// made and signed, to this server. The words are quoted by the caller; the command prints the
// memory's id.
func (h *Handler) sendLine(r *http.Request, words ...string) string {
	return "satchel get $(" + command(words...) + ") --json | " + h.postLine(r)
}

func (h *Handler) postLine(r *http.Request) string {
	return `curl -sS -H "Authorization: Bearer $token" -H "Content-Type: application/json" ` + quoted(h.originOf(r)+"/ump/remember") + " -d @-"
}

// elsewhereNote says what to do with a memory that is on this server only.
func (h *Handler) elsewhereNote(r *http.Request) string {
	return "If the memory is not in your own store yet, fetch what is here first: curl -sS -H \"Authorization: Bearer $token\" " + quoted(h.originOf(r)+"/ump/export") + " -o here.ump.json, then satchel import here.ump.json"
}

// correctLines give the memory of a path another text.
func (h *Handler) correctLines(r *http.Request) signing {
	id := quoted(memory.IDPrefix + strings.TrimPrefix(r.PathValue("id"), memory.IDPrefix))
	return signing{Title: "Correct a memory", At: "memories", Back: Root + "memories", Note: h.elsewhereNote(r),
		Lines: []string{tokenLine, h.sendLine(r, "revise", "-q", id, "--text", "'…'")}}
}

// rememberLines remember the text in the address.
func (h *Handler) rememberLines(r *http.Request) signing {
	q := r.URL.Query()
	text := "'…'"
	if said := strings.TrimSpace(q.Get("text")); said != "" {
		text = quoted(cut(said, rowText))
	}
	words := []string{"remember", "-q"}
	for _, name := range []string{"kind", "project"} {
		if value := q.Get(name); value != "" {
			words = append(words, "--"+name, quoted(cut(value, rowText)))
		}
	}
	words = append(words, "--", text) // a text that begins with a hyphen is no flag
	return signing{Title: "Remember something", At: "memories", Back: Root + "memories", Lines: []string{tokenLine, h.sendLine(r, words...)}}
}

// shareLines change who sees the memory of a path.
func (h *Handler) shareLines(r *http.Request) signing {
	s := h.correctLines(r)
	to := memory.Shared
	switch {
	case strings.HasSuffix(r.URL.Path, "/unshare"):
		to = memory.Private
	case r.URL.Query().Get("with") == string(memory.Public):
		to = memory.Public
	}
	s.Title = "Change who can see a memory"
	s.Lines[1] = h.visibilityLine(r, memory.ID(memory.IDPrefix+r.PathValue("id")), to)
	return s
}

func (h *Handler) visibilityLine(r *http.Request, id memory.ID, to memory.Visibility) string {
	return h.sendLine(r, "revise", "-q", quoted(string(id)), "--visibility", string(to))
}

// mintLines make a token.
func (h *Handler) mintLines(*http.Request) signing {
	return signing{Title: "Give somebody a token", At: "sharing", Back: Root + "sharing",
		Lines: []string{command("token", "mint", "--verb", "read", "--project", "'…'", "--for", "30d", "--name", "'…'")},
		Note:  "Its holder reads here as well: this server knows your public key. Only you can sign, so that a token never writes here. satchel token revoke ends it in your own store; here its operator does: satchel --owner DID token revoke --elsewhere JTI"}
}

// importLines bring a file in.
func (h *Handler) importLines(r *http.Request) signing {
	return signing{Title: "Bring what you have", At: "imports", Back: Root + "imports", Lines: []string{
		command("import", "FILE"), tokenLine,
		`satchel export --to ump --ndjson | while IFS= read -r line; do printf '{"record":%s}' "$line" | ` + h.postLine(r) + `; done`,
	}, Note: "Memories that are here already stay as they are"}
}

// unkeyed replaces the confirmation of what waits by command lines, if the owner keeps the
// own key. Rules need no signature.
func (h *Handler) unkeyed(r *http.Request, v visitor, rows []waitingRow, list []Waiting) []waitingRow {
	for i := range rows {
		if v.alone && list[i].Kind != ARule {
			rows[i].Lines = []string{tokenLine, h.sendLine(r, "remember", "-q", "--", quoted(list[i].Becomes))}
		}
	}
	return rows
}
