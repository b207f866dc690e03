package mapping

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// provider is the name of the format as the system that records came from.
const provider = aicf.Name

// context is what a record takes from the place of its entry.
type context struct {
	owner        memory.DID
	project      string // for entries that name none
	file         string
	session      *aicf.Session      // nil: no session before the entry
	conversation *aicf.Conversation // nil: none
	told         memory.ID          // the record of the conversation; empty: it has none
}

// draft makes the record of a piece without links and vectors; false: the piece makes no
// record. The time of creation is zero when nothing in the file dates it.
func (s context) draft(p piece) (memory.Record, bool) {
	r := memory.Record{
		Version: "0.1", Kind: memory.Semantic,
		Scope:     memory.Scope{Owner: s.owner, Project: s.project, Session: s.thread(), Visibility: memory.Private},
		Lifecycle: memory.Lifecycle{Status: memory.Active},
		Provenance: &memory.Provenance{
			Actor: string(s.owner), ActorKind: memory.ByImport, Method: aicf.Name,
			Source: &memory.Source{Provider: provider, Ref: s.ref()},
		},
	}
	var said object
	switch e := p.entry.(type) {
	case *aicf.Session:
		r, said = s.sessionRecord(r, e)
	case *aicf.Conversation:
		r, said = s.conversationRecord(r, e)
	case *aicf.State:
		r, said = s.stateRecord(r, e, p)
	case *aicf.Insight:
		r, said = s.insightRecord(r, e)
	case *aicf.Decision:
		r, said = s.decisionRecord(r, e)
	case *aicf.Consolidation:
		r, said = s.consolidationRecord(r, e)
	case *aicf.Unknown:
		r = datedBy(r, s.ended())
		r.Body.Text = lineText(p.raw)
	}
	if !p.at.IsZero() {
		r = datedBy(r, aicf.Stamp{Time: p.at})
	}
	if strings.TrimSpace(r.Body.Text) == "" {
		return memory.Record{}, false
	}
	return codec.WithResidue(withStructured(r, said), aicf.Name, s.residue(p)), true
}

// thread returns the session of a record: the conversation's session, or the conversation.
func (s context) thread() string {
	switch {
	case s.session != nil:
		return s.session.ID
	case s.conversation != nil && !isSynthetic(s.conversation.Extra):
		return s.conversation.ID
	case s.conversation != nil && !strings.HasPrefix(s.conversation.ID, exportedID):
		return s.conversation.ID
	}
	return ""
}

// ref returns the reference to a record's source.
func (s context) ref() string {
	if s.conversation != nil {
		return s.conversation.ID
	}
	return s.file
}

func (s context) residue(p piece) canon.Value {
	var o object
	o.put(residueVersion, canon.Int(1))
	o.text(residueSection, p.section())
	o.text(residueID, p.name)
	if s.conversation != nil {
		o.text(residueConv, s.conversation.ID)
	}
	if s.session != nil {
		o.text(residueSession, s.session.ID)
	}
	o.flag(residueLined, p.lined)
	if p.raw != "" {
		o.put(residueRaw, texts(strings.Split(p.raw, "\n")))
	}
	return o.value()
}

// datedBy dates a record by an instant, if there is one.
func datedBy(r memory.Record, at aicf.Stamp) memory.Record {
	r.Time.Created, r.Time.Observed = at.Time, at.Time
	return r
}

// ended returns when the conversation ended.
func (s context) ended() aicf.Stamp {
	switch {
	case s.conversation == nil:
		return aicf.Stamp{}
	case s.conversation.TimestampEnd.IsZero():
		return s.conversation.TimestampStart
	}
	return s.conversation.TimestampEnd
}

func (s context) sessionRecord(r memory.Record, e *aicf.Session) (memory.Record, object) {
	r.Kind = memory.Episodic
	r.Body.Text = sessionText(e) + extraText(e.Extra)
	r.Scope.Session, r.Scope.Agent, r.Scope.User = e.ID, e.AppName, e.UserID
	first, last := e.CreatedAt.Time, e.LastUpdateTime.Time
	r.Time = memory.Times{Created: either(first, last), ValidFrom: either(first, last), Observed: either(last, first)}
	var o object
	o.text("status", string(e.Status))
	o.count("event_count", e.EventCount)
	o.count("total_tokens", e.TotalTokens)
	o.count("session_duration_seconds", e.DurationSeconds)
	return r, o
}

// sessionText describes a session. A session of another writer may have an id alone.
func sessionText(e *aicf.Session) string {
	text := strings.TrimSpace("Session " + e.ID)
	if e.AppName != "" {
		text += " of " + e.AppName
	}
	if e.Status != "" {
		text += ": " + string(e.Status)
	}
	return text
}

// either returns the first instant unless it is zero, else the second.
func either(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}

// conversationRecord makes the record of a past event. It stays true, so it has no end of
// validity.
func (s context) conversationRecord(r memory.Record, e *aicf.Conversation) (memory.Record, object) {
	r.Kind = memory.Episodic
	r.Body.Text = strings.TrimSpace("Conversation " + e.ID)
	if e.Topic != nil && *e.Topic != "" {
		r.Body.Text += ": " + *e.Topic
	}
	r.Body.Text += conversationSize(e) + extraText(e.Extra)
	if e.Platform != nil {
		r.Scope.Agent = *e.Platform
	}
	r = datedBy(r, s.ended())
	r.Time.ValidFrom = e.TimestampStart.Time
	var o object
	o.optional("topic", e.Topic)
	o.count("messages", e.Messages)
	o.count("tokens", e.Tokens)
	o.list("participants", e.Participants)
	if e.Topic != nil {
		r.Relations = about(r.Relations, *e.Topic)
	}
	return r, o
}

func conversationSize(e *aicf.Conversation) string {
	var parts []string
	if e.Messages != nil {
		parts = append(parts, fmt.Sprintf("%d messages", *e.Messages))
	}
	if e.Platform != nil && *e.Platform != "" {
		parts = append(parts, *e.Platform)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// about adds a relation of type about.
func about(relations []memory.Relation, name string) []memory.Relation {
	if strings.TrimSpace(name) == "" {
		return relations
	}
	return relate(relations, memory.Relation{Type: memory.About, Target: entityPrefix + name})
}

const entityPrefix = "entity:"

// relate adds a relation unless the list has it.
func relate(relations []memory.Relation, add memory.Relation) []memory.Relation {
	for _, r := range relations {
		if r == add {
			return relations
		}
	}
	return append(relations, add)
}

func (s context) insightRecord(r memory.Record, e *aicf.Insight) (memory.Record, object) {
	r = datedBy(r, s.ended())
	r.Kind, r.Body.Text = kindOf(e.MemoryType), orExtra(e.Text, e.Extra)
	r.Lifecycle.Salience = onScale(salienceOf, e.Priority)
	r.Lifecycle.Confidence = onScale(confidenceOf, e.Confidence)
	r.Provenance.ActorKind, r.Provenance.Method = memory.ByModel, "aicf_insight"
	var o object
	o.text("category", string(e.Category))
	if e.Category != "" {
		r.Relations = about(r.Relations, "aicf/"+strings.ToLower(string(e.Category)))
	}
	return r, o
}
