package aicf

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// provider names the format as the system that records came from.
const provider = formatName

// setting is what a record takes from where its entry stands.
type setting struct {
	owner        memory.DID
	project      string // of what names none
	file         string
	session      *Session      // nil: none before the entry
	conversation *Conversation // nil: none
	told         memory.ID     // the record of the conversation; empty: it has none
}

// draft makes the record of a piece without what ties it to others; false: it makes none.
// Its time of creation is zero where nothing in the file dates it.
func (s setting) draft(p piece) (memory.Record, bool) {
	r := memory.Record{
		Version: "0.1", Kind: memory.Semantic,
		Scope:     memory.Scope{Owner: s.owner, Project: s.project, Session: s.thread(), Visibility: memory.Private},
		Lifecycle: memory.Lifecycle{Status: memory.Active},
		Provenance: &memory.Provenance{
			Actor: string(s.owner), ActorKind: memory.ByImport, Method: formatName,
			Source: &memory.Source{Provider: provider, Ref: s.ref()},
		},
	}
	var said object
	switch e := p.entry.(type) {
	case *Session:
		r, said = s.sessionRecord(r, e)
	case *Conversation:
		r, said = s.conversationRecord(r, e)
	case *State:
		r, said = s.stateRecord(r, e, p)
	case *Insight:
		r, said = s.insightRecord(r, e)
	case *Decision:
		r, said = s.decisionRecord(r, e)
	case *Consolidation:
		r, said = s.consolidationRecord(r, e)
	}
	if strings.TrimSpace(r.Body.Text) == "" {
		return memory.Record{}, false
	}
	return codec.WithResidue(withStructured(r, said), formatName, s.residue(p)), true
}

// thread is the session of a record: that of its conversation, or the conversation.
func (s setting) thread() string {
	switch {
	case s.session != nil:
		return s.session.ID
	case s.conversation != nil && !synthetic(s.conversation.Extra):
		return s.conversation.ID
	case s.conversation != nil && !strings.HasPrefix(s.conversation.ID, exportedID):
		return s.conversation.ID
	}
	return ""
}

// ref is what a record came from.
func (s setting) ref() string {
	if s.conversation != nil {
		return s.conversation.ID
	}
	return s.file
}

func (s setting) residue(p piece) canon.Value {
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
	if p.raw != "" {
		o.put(residueRaw, texts(strings.Split(p.raw, "\n")))
	}
	return o.value()
}

// learnt dates a record by an instant, if there is one.
func learnt(r memory.Record, at Stamp) memory.Record {
	r.Time.Created, r.Time.Observed = at.Time, at.Time
	return r
}

// ended is when the conversation was over.
func (s setting) ended() Stamp {
	switch {
	case s.conversation == nil:
		return Stamp{}
	case s.conversation.TimestampEnd.IsZero():
		return s.conversation.TimestampStart
	}
	return s.conversation.TimestampEnd
}

func (s setting) sessionRecord(r memory.Record, e *Session) (memory.Record, object) {
	r.Kind = memory.Episodic
	r.Body.Text = fmt.Sprintf("Session %s of %s: %s", e.ID, e.AppName, e.Status)
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

// either returns the first instant, or the second where there is none.
func either(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}

// conversationRecord tells of a past event, which stays true: it has no end of validity.
func (s setting) conversationRecord(r memory.Record, e *Conversation) (memory.Record, object) {
	r.Kind = memory.Episodic
	r.Body.Text = "Conversation " + e.ID
	if e.Topic != nil && *e.Topic != "" {
		r.Body.Text += ": " + *e.Topic
	}
	r.Body.Text += conversationSize(e)
	if e.Platform != nil {
		r.Scope.Agent = *e.Platform
	}
	r = learnt(r, s.ended())
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

func conversationSize(e *Conversation) string {
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

// about adds that a record is about something.
func about(relations []memory.Relation, name string) []memory.Relation {
	if strings.TrimSpace(name) == "" {
		return relations
	}
	return relate(relations, memory.Relation{Type: memory.About, Target: entityPrefix + name})
}

const entityPrefix = "entity:"

// relate adds a relation unless it is there.
func relate(relations []memory.Relation, add memory.Relation) []memory.Relation {
	for _, r := range relations {
		if r == add {
			return relations
		}
	}
	return append(relations, add)
}

func (s setting) insightRecord(r memory.Record, e *Insight) (memory.Record, object) {
	r = learnt(r, s.ended())
	r.Kind, r.Body.Text = kindOf(e.MemoryType), e.Text
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
