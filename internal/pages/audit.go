package pages

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Auditor reads the audit log.
type Auditor interface {
	// Audit returns one page of the log, latest first.
	Audit(ctx context.Context, c memory.Caller, q AuditQuery) (AuditList, error)
	// AuditActs lists the acts that the log tells apart.
	AuditActs() []string
	// VerifyAudit checks the whole log.
	VerifyAudit(ctx context.Context, c memory.Caller) (AuditProof, error)
	// AuditLines passes each entry of the log, earliest first, as a line of JSON.
	AuditLines(ctx context.Context, c memory.Caller, write func(line []byte) error) error
}

// AuditQuery selects entries of the log.
type AuditQuery struct {
	Act    string    // empty: any
	Who    string    // a part of who did it; empty: anybody
	Memory memory.ID // empty: about anything
	Before int64     // entries with lower numbers; 0: from the latest on
}

// AuditList is one page of the log.
type AuditList struct {
	Entries []AuditEntry
	Older   int64 // for Before; 0: there are none
	Total   int64 // entries of the whole log
}

// AuditEntry is one act.
type AuditEntry struct {
	Number  int64
	At      time.Time
	Act     string
	Who     string // as the log names it
	Name    string // for people
	Via     string
	Count   int
	Details []string
	Damaged bool // it cannot be read, or is missing
}

// AuditProof is the result of a check of the log.
type AuditProof struct {
	Entries  int64
	Signed   time.Time // when its head was signed last; zero: never
	Findings []AuditFinding
}

// AuditFinding is something wrong with the log.
type AuditFinding struct{ Kind, Says string }

// auditHandler answers requests about the log.
type auditHandler struct{ *Handler }

// auditRow is an act as the page shows it.
type auditRow struct {
	AuditEntry
	When moment
	Did  string
	Many string // how often, or how many memories
	How  string // the way in
}

// actWords are acts in an owner's words. Others stand for themselves.
var actWords = map[string]string{
	"read": "read memories", "import": "imported", "undo": "took something back", "export": "took copies", "grant": "gave a token", "revoke": "revoked a token",
	"refuse": "was refused", "forget": "forgot", "erase": "erased memories", "erase_owner": "erased everything", "expire": "memories ran out", "hold": "held expired memories back",
	"rekey": "changed the key", "restore": "restored a backup", "trust": "trusted a key", "distrust": "trusts a key no more", "consent": "consented", "withdraw": "withdrew a consent",
	"propose": "proposed", "correct": "corrected", "approve": "confirmed", "reject": "rejected", "enter": "opened these pages", "leave": "left, or turned browsers out",
	"confirm": "confirmed at a terminal or by a passkey", "passkey_add": "added a passkey", "passkey_drop": "removed a passkey",
	"machine_add": "let a machine take part", "machine_rename": "renamed a machine", "machine_remove": "removed a machine", "pause": "paused an assistant", "resume": "let an assistant in again", "damage": "found damaged memories", "unreadable": "cannot be read", "missing": "is missing",
}

func actWord(act string) string { return cmp.Or(actWords[act], strings.ReplaceAll(act, "_", " ")) }

// viaWords are the ways in that the log tells apart, in an owner's words.
var viaWords = map[string]string{"cli": "on the command line", "http": "over HTTP", "mcp": "over MCP"}

// aboutMemories are the acts whose number counts memories. That of others counts acts.
var aboutMemories = []string{"read", "import", "undo", "export", "forget", "erase", "erase_owner", "expire", "hold", "restore"}

// howMany says what the number of an entry counts.
func howMany(e AuditEntry) string {
	switch {
	case slices.Contains(aboutMemories, e.Act):
		return counted(e.Count, "memory", "memories")
	case e.Count > 1:
		return strconv.Itoa(e.Count) + " times"
	}
	return ""
}

// whoWords are principals without a name of their own in an owner's words.
var whoWords = map[string]string{"owner": "you", "operator": "the operator", "anonymous": "somebody"}

// auditPage shows the log.
type auditPage struct {
	frame
	Rows   []auditRow
	Total  int64
	Acts   []choice
	Act    string
	Who    string
	Memory string
	Older  string
	Newest string
	Verify string
	Proof  *AuditProof
	Signed moment
	Same   string
}

// audit answers who did what.
func (h auditHandler) audit(w http.ResponseWriter, r *http.Request, v visitor) {
	q := r.URL.Query()
	p := auditPage{frame: h.frame(r, v, "Audit", "audit"), Act: q.Get("act"), Who: strings.TrimSpace(q.Get("who")), Memory: strings.TrimSpace(q.Get("memory"))}
	ask := AuditQuery{Act: p.Act, Who: p.Who}
	var err error
	if p.Memory != "" {
		ask.Memory, err = h.backend.Find(r.Context(), v.caller, p.Memory)
	}
	if before := q.Get("before"); before != "" && err == nil {
		if ask.Before, err = strconv.ParseInt(before, 10, 64); err != nil || ask.Before < 1 {
			err = invalid("the address names a place in the log that is none")
		}
	}
	var list AuditList
	if err == nil {
		list, err = h.backend.Audit(r.Context(), v.caller, ask)
	}
	if err == nil && q.Get("verify") != "" {
		var proof AuditProof
		proof, err = h.backend.VerifyAudit(r.Context(), v.caller)
		p.Proof, p.Signed = &proof, momentOf(proof.Signed, p.Now)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p.fill(h, list)
	h.show(w, r, http.StatusOK, "audit", p)
}

// fill puts a page of the log in words.
func (p *auditPage) fill(h auditHandler, list AuditList) {
	p.Total = list.Total
	for _, e := range list.Entries {
		row := auditRow{AuditEntry: e, When: momentOf(e.At, p.Now), Did: actWord(e.Act), Many: howMany(e), How: cmp.Or(viaWords[e.Via], e.Via)}
		row.Name = cut(cmp.Or(whoWords[e.Who], e.Name, e.Who), 60)
		for i, d := range row.Details {
			row.Details[i] = cut(d, 80)
		}
		p.Rows = append(p.Rows, row)
	}
	acts := []string{"", "Everything"}
	for _, act := range h.backend.AuditActs() {
		acts = append(acts, act, actWord(act))
	}
	p.Acts = choices(p.Act, acts...)
	at := func(pairs ...string) string {
		return pathWith(Root+"audit", append([]string{"act", p.Act, "who", p.Who, "memory", p.Memory}, pairs...)...)
	}
	p.Newest, p.Verify = at(), at("verify", "1")
	if list.Older > 0 {
		p.Older = at("before", strconv.FormatInt(list.Older, 10))
	}
	words := []string{"audit", "show"}
	if p.Act != "" {
		words = append(words, "--act", quoted(p.Act))
	}
	if p.Memory != "" {
		words = append(words, "--id", quoted(p.Memory))
	}
	p.Same = command(words...)
}

// auditFile sends the whole log.
func (h auditHandler) auditFile(w http.ResponseWriter, r *http.Request, v visitor) {
	sent := h.send(w, r, v, "application/x-ndjson", "satchel-audit.ndjson", func(out io.Writer) error {
		return h.backend.AuditLines(r.Context(), v.caller, func(line []byte) error {
			_, err := out.Write(append(line, '\n'))
			return err
		})
	})
	if !sent {
		h.show(w, r, http.StatusOK, "failure", failedPage(h.frame(r, v, "The log is empty", "audit"), failure{http.StatusOK, "The log is empty", "Nothing that concerns others was done yet.", "Come back later."}))
	}
}

// EntriesChecked is the number of entries that a check has read.
func (p auditPage) EntriesChecked() int {
	if p.Proof == nil {
		return 0
	}
	return int(p.Proof.Entries)
}
