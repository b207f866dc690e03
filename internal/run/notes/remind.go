package notes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
)

// Codes of the notes that a run reports of its memory.
const (
	eventRead     = "memory.read"     // what the model was reminded of, by scope
	eventRejected = "memory.rejected" // content of the definition or of a checkpoint was not kept
	eventMeaning  = "memory.keyword"  // words decided, where the definition asks for meaning
)

// Remind implements [run.Memory].
func (m *Memory) Remind(ctx context.Context, said []aaif.Message) (string, []aaif.Message, []run.Note, error) {
	all, err := m.list(ctx)
	if err != nil {
		return "", nil, nil, err
	}
	question := ""
	for _, s := range said {
		if s.Role == "user" {
			question = s.Content
		}
	}
	var found []run.Note
	var b strings.Builder
	var read []string
	for _, scope := range m.readable() {
		items, notes, err := m.read(ctx, scope, question, all)
		if err != nil {
			return "", nil, nil, err
		}
		found = append(found, notes...)
		if len(items) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n\n## %s\n%s", scope, policy.Data("memory "+string(scope), linesOf(items)))
		read = append(read, fmt.Sprintf("%d of %s", len(items), scope))
		for _, n := range items {
			if speaks := policy.Suspicious(n.Text); len(speaks) > 0 {
				found = append(found, run.Note{Code: policy.EventInjection, Text: "memory of scope " + n.Scope + " speaks to the model: it " + strings.Join(speaks, ", ")})
			}
		}
	}
	return m.heading() + b.String(), filled(said, all), m.fresh(strings.Join(read, ", "), found), nil
}

// heading says what memory is.
func (m *Memory) heading() string {
	text := "\n\n# Memory\nNotes from earlier turns and runs follow, as far as they bear on the task. "
	if len(m.scopes) == 0 {
		return text + readTool + " looks notes up."
	}
	return text + readTool + " looks other notes up, " + writeTool + " writes one for later."
}

// fresh returns what was not told before.
func (m *Memory) fresh(read string, found []run.Note) []run.Note {
	m.mu.Lock()
	defer m.mu.Unlock()
	tell := m.pending
	m.pending = nil
	if read != "" {
		found = append(found, run.Note{Code: eventRead, Text: read})
	}
	now := fmt.Sprint(found)
	if now != m.told {
		m.told = now
		tell = append(tell, found...)
	}
	return tell
}

// readable returns the scopes of which there may be something to read.
func (m *Memory) readable() []aaif.Scope {
	all := slices.Clone(m.scopes)
	for _, s := range []aaif.Scope{aaif.UserScope, aaif.SessionScope, aaif.TaskScope, aaif.LongTermScope} {
		if m.o.Passed.Agent != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// read returns the notes of a scope that bear on a question, as many as the definition asks for.
// This is where memory is read.
func (m *Memory) read(ctx context.Context, s aaif.Scope, question string, all []notestore.Note) ([]notestore.Note, []run.Note, error) {
	var own []notestore.Note
	for _, n := range all {
		if n.Scope == string(s) {
			own = append(own, n)
		}
	}
	e := m.entry(s, "")
	ctx, end := m.o.Spans.Begin(ctx, trace.MemoryRead, trace.AboutMemory(string(s), place)...)
	items, notes, err := m.rank(ctx, e.Retrieval, question, own, topOf(e))
	end(failure(err))
	return items, notes, err
}

// linesOf writes notes for a model.
func linesOf(items []notestore.Note) string {
	var b strings.Builder
	for _, n := range items {
		fmt.Fprintf(&b, "%s: %s\n", cmp.Or(n.Key, "-"), n.Text)
	}
	return b.String()
}

// refs writes which notes were read, for the journal: their names, and nothing that they say.
func refs(items []notestore.Note) canon.Value {
	list := make([]canon.Value, len(items))
	for i, n := range items {
		list[i] = canon.Object(canon.Member{Name: "scope", Value: canon.String(n.Scope)}, canon.Member{Name: "key", Value: canon.String(n.Key)})
	}
	return canon.Object(canon.Member{Name: "notes", Value: canon.Array(list...)})
}

// filled returns the conversation with what the notes say that readTool has found. A note that is
// gone says nothing any more.
func filled(said []aaif.Message, all []notestore.Note) []aaif.Message {
	out := slices.Clone(said)
	for i, msg := range out {
		if msg.Role != "tool" || msg.Tool != readTool {
			continue
		}
		v, err := canon.Parse([]byte(msg.Content), canon.Options{})
		if err != nil || v.Get("notes").Type() != canon.TypeArray {
			continue
		}
		var list []canon.Value
		for _, ref := range v.Get("notes").Items() {
			at := slices.IndexFunc(all, func(n notestore.Note) bool {
				return n.Scope == ref.Get("scope").Text() && n.Key == ref.Get("key").Text()
			})
			if at >= 0 {
				list = append(list, ref.With("content", canon.String(all[at].Text)))
			} else {
				list = append(list, ref.With("gone", canon.Bool(true)))
			}
		}
		out[i].Content = string(v.With("notes", canon.Array(list...)).Append(nil))
	}
	return out
}
