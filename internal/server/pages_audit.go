package server

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// auditRead is how many entries of the log are read at once.
const auditRead = 500

// auditSize returns how many entries the log has.
func (p watchPages) auditSize(ctx context.Context, c memory.Caller) (int64, error) {
	head, err := p.AuditHead(ctx, c)
	if err != nil {
		return 0, err
	}
	for size := head.Size; ; { // entries may follow the signed head
		more, err := p.Vault.Audit(ctx, c, size, auditRead)
		if size += int64(len(more)); err != nil || len(more) == 0 {
			return size, err
		}
	}
}

// Audit returns one page of the log.
func (p watchPages) Audit(ctx context.Context, c memory.Caller, q pages.AuditQuery) (list pages.AuditList, err error) {
	if list.Total, err = p.auditSize(ctx, c); err != nil {
		return list, err
	}
	names, err := p.tokenNames(ctx, c)
	if err != nil {
		return list, err
	}
	mark := ""
	if q.Memory != "" {
		if mark = p.AuditMark(c, string(q.Memory)); mark == "" {
			return list, &memory.Error{Kind: memory.Unsupported, Op: "audit", Message: "the log names memories by marks that only your key makes, and it is not here"}
		}
	}
	end := list.Total
	if q.Before > 0 {
		end = min(end, q.Before)
	}
	for end > 0 {
		from := max(0, end-auditRead)
		entries, err := p.Vault.Audit(ctx, c, from, int(end-from))
		if err != nil {
			return list, err
		}
		for i := len(entries) - 1; i >= 0; i-- {
			e := entries[i]
			name := names[strings.TrimPrefix(e.Who, "token:")]
			if e.Number >= end || !wantsEntry(e, q, mark, name) {
				continue
			}
			if len(list.Entries) == pages.PageSize {
				list.Older = list.Entries[pages.PageSize-1].Number
				return list, nil
			}
			list.Entries = append(list.Entries, entryOf(e, name, names))
		}
		end = from
	}
	return list, nil
}

// wantsEntry reports whether an entry matches. name is that of the token behind it.
func wantsEntry(e audit.Entry, q pages.AuditQuery, mark, name string) bool {
	who := strings.ToLower(q.Who)
	switch {
	case q.Act != "" && string(e.Act) != q.Act,
		mark != "" && !slices.Contains(e.Records, mark),
		who == "you" && e.Who != audit.Owner,
		who != "" && who != "you" && !strings.Contains(strings.ToLower(e.Who+" "+name), who):
		return false
	}
	return true
}

// entryOf puts an entry in the words of the pages.
func entryOf(e audit.Entry, name string, tokens map[string]string) pages.AuditEntry {
	out := pages.AuditEntry{Number: e.Number, At: e.At, Act: string(e.Act), Who: e.Who, Name: name, Via: e.Via, Count: e.Count, Damaged: e.Act == audit.Unreadable || e.Act == audit.Missing}
	say := func(text string) {
		if text != "" {
			out.Details = append(out.Details, text)
		}
	}
	if e.Import != 0 {
		say("import " + strconv.FormatInt(e.Import, 10))
	}
	say(e.Format)
	say(e.Producer)
	say(e.Reason)
	say(e.Result)
	if e.Token != "" {
		say("token " + cmp.Or(tokens[e.Token], e.Token))
	}
	for _, verb := range e.Verbs {
		say(string(verb))
	}
	say(string(e.Visibility))
	return out
}

// AuditActs lists the acts.
func (p watchPages) AuditActs() []string {
	var all []string
	for _, act := range audit.Acts() {
		all = append(all, string(act))
	}
	return all
}

// VerifyAudit checks the log.
func (p watchPages) VerifyAudit(ctx context.Context, c memory.Caller) (out pages.AuditProof, err error) {
	report, err := p.Vault.VerifyAudit(ctx, c, nil)
	out.Entries = report.Entries
	if report.Head != nil {
		out.Signed = report.Head.At
	}
	for _, f := range report.Findings {
		out.Findings = append(out.Findings, pages.AuditFinding{Kind: string(f.Kind), Says: f.Message})
	}
	return out, err
}

// AuditLines passes the entries of the log as JSON.
func (p watchPages) AuditLines(ctx context.Context, c memory.Caller, write func([]byte) error) error {
	for from := int64(0); ; {
		entries, err := p.Vault.Audit(ctx, c, from, auditRead)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			line, err := json.Marshal(e.Line())
			if err == nil {
				err = write(line)
			}
			if err != nil {
				return err
			}
		}
		from += int64(len(entries))
	}
}
