package pages

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// An owner may keep their own key. The server can then sign nothing. Instead of a form that
// would fail, such an owner sees command lines to run on the machine of the key.

// ownerLines are the command lines for an act that needs the owner's key.
type ownerLines struct {
	Title, At, Back string
	Lines           []string
	Note            string // what else to know; empty: nothing
}

// signingPage shows such command lines.
type signingPage struct {
	frame
	Signing ownerLines
}

// showLines answers a request for an act that needs the owner's key. Nothing changes.
func (h *Handler) showLines(w http.ResponseWriter, r *http.Request, v visitor, s ownerLines) {
	status := http.StatusOK
	if r.Method == http.MethodPost {
		status = http.StatusConflict
	}
	h.show(w, r, status, "signing", signingPage{h.frame(r, v, s.Title, s.At), s})
}

// tokenLine mints the token that the lines of sendLine use.
const tokenLine = `token=$(satchel token mint --self --for 1h)`

// sendLine returns a command line that makes and signs a memory in the owner's own store and
// sends it to this server. words are the command that makes it and prints its id; the caller
// quotes them.
func (h *Handler) sendLine(r *http.Request, words ...string) string {
	return "satchel get $(" + command(words...) + ") --json | " + h.postLine(r)
}

func (h *Handler) postLine(r *http.Request) string {
	return `curl -sS -H "Authorization: Bearer $token" -H "Content-Type: application/json" ` + quoted(h.originOf(r)+"/ump/remember") + " -d @-"
}

// elsewhereNote returns what to do with a memory that is on this server only.
func (h *Handler) elsewhereNote(r *http.Request) string {
	return "If the memory is not in your own store yet, fetch what is here first: curl -sS -H \"Authorization: Bearer $token\" " + quoted(h.originOf(r)+"/ump/export") + " -o here.ump.json, then satchel import here.ump.json"
}

// correctLines returns the lines that correct the memory of a path.
func (h *Handler) correctLines(r *http.Request) ownerLines {
	id := quoted(memory.IDPrefix + strings.TrimPrefix(r.PathValue("id"), memory.IDPrefix))
	return ownerLines{Title: "Correct a memory", At: "memories", Back: Root + "memories", Note: h.elsewhereNote(r),
		Lines: []string{tokenLine, h.sendLine(r, "revise", "-q", id, "--text", "'…'")}}
}

// rememberLines returns the lines that remember the text in the address.
func (h *Handler) rememberLines(r *http.Request) ownerLines {
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
	return ownerLines{Title: "Remember something", At: "memories", Back: Root + "memories", Lines: []string{tokenLine, h.sendLine(r, words...)}}
}

// shareLines returns the lines that change who sees the memory of a path.
func (h *Handler) shareLines(r *http.Request) ownerLines {
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

// mintLines returns the line that mints a token.
func (h *Handler) mintLines(*http.Request) ownerLines {
	return ownerLines{Title: "Give somebody a token", At: "sharing", Back: Root + "sharing",
		Lines: []string{command("token", "mint", "--verb", "read", "--project", "'…'", "--for", "30d", "--name", "'…'")},
		Note:  "Its holder reads here as well: this server knows your public key. Only you can sign, so that a token never writes here. satchel token revoke ends it in your own store; here its operator does: satchel --owner DID token revoke --elsewhere JTI"}
}

// importLines returns the lines that import a file.
func (h *Handler) importLines(r *http.Request) ownerLines {
	return ownerLines{Title: "Bring what you have", At: "imports", Back: Root + "imports", Lines: []string{
		command("import", "FILE"), tokenLine,
		`satchel export --to ump --ndjson | while IFS= read -r line; do printf '{"record":%s}' "$line" | ` + h.postLine(r) + `; done`,
	}, Note: "Memories that are here already stay as they are"}
}

// withLines replaces the button that confirms a proposal by command lines if the owner keeps
// their own key. Rules need no signature.
func (h *Handler) withLines(r *http.Request, v visitor, rows []waitingRow, list []Waiting) []waitingRow {
	for i := range rows {
		if v.keepsKey && list[i].Kind != ARule {
			rows[i].Lines = []string{tokenLine, h.sendLine(r, "remember", "-q", "--", quoted(list[i].Becomes))}
		}
	}
	return rows
}
