package umpmcp

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// modelView answers calls of models: tool names with underscores. Arguments are flat, IDs
// may be short, and the answer is one block of text. It has no structured part, because
// hosts show their model only one of the two. Calls by names with dots are those of the
// protocol.
type modelView struct {
	backend Backend
	options Options
	listed  map[ump.Operation][]string // names of the listed arguments
}

// answer serves a call of a model. A panic ends only the call, also a panic while it
// writes a refusal.
func (m *modelView) answer(ctx context.Context, op ump.Operation, c memory.Caller, arguments []byte) answer {
	text, err := m.text(ctx, op, c, arguments)
	if err != nil {
		m.options.report(string(op), err)
		var fault error
		if text, fault = m.refusalText(ctx, op, c, err); fault != nil {
			m.options.report(string(op), fault)
			text = string(memory.KindOf(err)) + "." + next(op, memory.KindOf(err))
		}
	}
	return answer{text: text, failed: err != nil}
}

func (m *modelView) text(ctx context.Context, op ump.Operation, c memory.Caller, arguments []byte) (text string, err error) {
	defer guard(string(op), &err)
	if err := admit(ctx, m.backend, c); err != nil {
		return "", err
	}
	q, err := m.request(ctx, op, c, arguments)
	if err != nil {
		return "", err
	}
	answer, err := ump.Perform(ctx, m.backend, ump.Call{Operation: op, Caller: c, Body: q.body, Strict: true, Now: m.options.Now})
	if err != nil {
		return "", err
	}
	return m.write(ctx, op, c, q, answer)
}

// write turns the protocol's answer into text for a model.
func (m *modelView) write(ctx context.Context, op ump.Operation, c memory.Caller, q question, response ump.Response) (string, error) {
	answer := response.Rest
	switch {
	case answer.Get("framed").Type() == canon.TypeString:
		return answer.Get("framed").Text(), nil
	case q.full && (op == ump.OpRecall || op == ump.OpGet):
		whole, err := response.Tree()
		if err != nil {
			return "", err
		}
		return wholeRecords(op, q, whole)
	case op == ump.OpRecall:
		return m.writeHits(ctx, c, q, response.Hits, answer), nil
	case op == ump.OpGet:
		return m.writeRecord(ctx, c, q, answer.Get("record"))
	case op == ump.OpCapabilities:
		return string(appendShown(nil, answer)), nil
	}
	return m.writeOutcome(ctx, op, c, answer) + warnings(op, answer), nil
}

// writeOutcome describes the outcome of an operation in a sentence.
func (m *modelView) writeOutcome(ctx context.Context, op ump.Operation, c memory.Caller, answer canon.Value) string {
	id := memory.ID(answer.Get("id").Text())
	ids := []memory.ID{id}
	for _, prior := range answer.Get("supersedes").Items() {
		ids = append(ids, memory.ID(prior.Text()))
	}
	short := m.short(ctx, c, ids...)
	switch outcome := answer.Get("result").Text(); {
	case op == ump.OpRevise && len(ids) > 1:
		return "Revised: " + short[id] + " replaces " + short[ids[1]] + "."
	case op == ump.OpRevise:
		return "Revised: the new version is " + short[id] + "."
	case outcome == string(memory.Merged):
		return "Known already: merged into " + short[id] + "."
	case outcome == string(memory.Rejected):
		return "Not remembered: the service rejected it; it may have been forgotten before."
	case op == ump.OpRemember:
		return "Remembered as " + short[id] + "."
	case op == ump.OpForget && answer.Get("pending").True():
		return "Erased for good; the last traces are being cleared."
	case op == ump.OpForget && outcome == string(memory.AsErased):
		return "Erased for good."
	case op == ump.OpForget:
		return "Forgotten."
	}
	return "Noted."
}

// warnings lists the warnings of the service.
func warnings(op ump.Operation, answer canon.Value) string {
	var b bytes.Buffer
	for _, w := range answer.Get("warnings").Items() {
		b.WriteString("\nNote: ")
		if path := w.Get("path").Text(); strings.Count(path, "/") > 1 { // not the whole record or patch
			b.WriteString(flatPath(op, path) + " ")
		}
		b.WriteString(sentence(w.Get("message").Text()))
	}
	return b.String()
}

// short returns the short forms of IDs. Callers who may not read get whole IDs. If the
// lookup fails, every caller gets whole IDs, because the call itself has succeeded, and
// the operator gets a report.
func (m *modelView) short(ctx context.Context, c memory.Caller, ids ...memory.ID) map[memory.ID]string {
	if len(ids) == 0 {
		return nil
	}
	short, err := m.backend.ShortIDs(ctx, c, ids)
	switch memory.KindOf(err) {
	case "":
		return short
	case memory.ForbiddenScope, memory.Unauthorized:
	default:
		m.options.Report("shorten ids", err)
	}
	short = map[memory.ID]string{}
	for _, id := range ids {
		short[id] = string(id)
	}
	return short
}

// wholeRecords returns the signed records of an answer as JSON, as many as the budget
// allows. It escapes invisible characters and those that could form a tag, which changes
// no record.
func wholeRecords(op ump.Operation, q question, answer canon.Value) (string, error) {
	trust := canon.Member{Name: "trust", Value: canon.String("untrusted-data")}
	shown, room := canon.Object(append([]canon.Member{trust}, answer.Members()...)...), q.budget*tokenBytes
	if op == ump.OpGet {
		text := appendShown(nil, shown)
		if len(text) <= room {
			return string(text), nil
		}
		advice := "ask with a budget of " + tokensOf(len(text)) + ", or without view"
		if len(text) > mostBudget*tokenBytes {
			advice = "ask without view"
		}
		return "", &memory.Error{Kind: memory.InvalidRecord, Op: string(op), Path: "/budget", Message: "the whole record does not fit the budget; " + advice}
	}
	results := answer.Get("results").Items()
	less := func(kept int) canon.Value {
		return shown.With("results", canon.Array(results[:kept]...)).
			With("left_out", canon.Int(int64(len(results)-kept))).With("next", canon.String("Ask with a larger budget."))
	}
	all, some := len(appendShown(nil, shown.With("results", canon.Array()))), len(appendShown(nil, less(0)))
	kept := 0 // results that fit together with the note about the others
	for i, r := range results {
		size := len(appendShown(nil, r)) + 1
		if all, some = all+size, some+size; all-1 > room {
			return string(appendShown(nil, less(kept))), nil
		}
		if some-1 <= room {
			kept = i + 1
		}
	}
	return string(appendShown(nil, shown)), nil
}

// refusalText returns a refusal as one text: its code, its cause, and the next step.
func (m *modelView) refusalText(ctx context.Context, op ump.Operation, c memory.Caller, refused error) (text string, err error) {
	defer guard(string(op), &err)
	envelope, err := canon.Parse(ump.ErrorEnvelope(refused), canon.Options{})
	if err != nil {
		return "", err
	}
	said := envelope.Get("error")
	text = said.Get("code").Text() + ": " + sentence(flatPath(op, said.Get("message").Text())) + next(op, memory.KindOf(refused))
	several, ok := errors.AsType[*memory.AmbiguousID](refused)
	if !ok {
		return m.shortenIDs(ctx, c, text, refused), nil
	}
	var hits []hit
	for i := range several.Candidates {
		hits = append(hits, hitOf(factsOf(&several.Candidates[i]), c.Owner))
	}
	return text + "\n" + m.frame(ctx, c, hits, defaultBudget), nil
}

// shortenIDs replaces the IDs in a refusal by their short forms.
func (m *modelView) shortenIDs(ctx context.Context, c memory.Caller, text string, refused error) string {
	var ids []memory.ID
	if e, ok := errors.AsType[*memory.Error](refused); ok {
		ids = append(ids, e.ID)
	}
	if e, ok := errors.AsType[*memory.SupersededError](refused); ok {
		ids = append(append(ids, e.Holds), e.Current...)
	}
	ids = slices.DeleteFunc(ids, func(id memory.ID) bool { return id == "" || !strings.Contains(text, string(id)) })
	slices.SortFunc(ids, func(x, y memory.ID) int { return len(y) - len(x) }) // an ID may be the beginning of another
	short := m.short(ctx, c, ids...)
	for _, id := range ids {
		text = strings.ReplaceAll(text, string(id), short[id])
	}
	return text
}

// sentence adds a full stop to a message without one.
func sentence(message string) string {
	if strings.HasSuffix(message, ".") || strings.HasSuffix(message, "?") {
		return message
	}
	return message + "."
}

// next returns the next step for a model after a refusal.
func next(op ump.Operation, kind memory.ErrorKind) string {
	switch kind {
	case memory.InvalidRecord:
		return " Correct the arguments and call again."
	case memory.NotFound:
		return " Find the id with ump_recall."
	case memory.Unauthorized, memory.ForbiddenScope, memory.ConsentViolation:
		return " Tell the user; do not try again."
	case memory.Unsupported:
		return " Do without it."
	case memory.RateLimited:
		return " Wait, then call again."
	case memory.SignatureInvalid:
		return " Tell the user."
	}
	if op == ump.OpRecall || op == ump.OpGet {
		return " Go on without memory if it happens again."
	}
	return " Nothing is known to be stored; call again later."
}
