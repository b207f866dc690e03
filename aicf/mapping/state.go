package mapping

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/memory"
)

// stateRecord makes the record of a conversation's state, or of one key for the user or the
// app.
func (s context) stateRecord(r memory.Record, e *aicf.State, p piece) (memory.Record, object) {
	if p.pair == nil {
		return s.workRecord(r, e)
	}
	switch p.scope {
	case aicf.ScopeUser:
		if s.session != nil {
			r.Scope.User = s.session.UserID
		}
	case aicf.ScopeApp:
		if s.session != nil && s.session.AppName != "" {
			r.Scope.Project = s.session.AppName
		}
	default: // a key of a state that an export made
		r = datedBy(r, s.ended())
		r.Kind, r.Body.Text = memory.Working, p.pair.Value
		return r, nil
	}
	r = datedBy(r, s.ended())
	r.Scope.Session = ""
	if strings.HasPrefix(p.pair.Name(), exportedKey) {
		r.Kind, r.Body.Text = memory.Working, p.pair.Value
		return r, nil
	}
	r.Body.Text = p.pair.Name() + keyed + p.pair.Value
	var o object
	o.text("key", p.pair.Name())
	return r, o
}

// keyed separates a key and its value in the text of a record.
const keyed = ": "

func (s context) workRecord(r memory.Record, e *aicf.State) (memory.Record, object) {
	r = datedBy(r, s.ended())
	r.Kind, r.Body.Text = memory.Working, workText(e)
	if e.Status != nil && (*e.Status == "completed" || *e.Status == "cancelled") {
		r.Time.ValidTo = s.ended().Time
	}
	var o object
	o.optional("status", (*string)(e.Status))
	o.optional("actions", e.Actions)
	o.list("flow", e.Flow)
	return r, o
}

func workText(e *aicf.State) string {
	var parts []string
	if e.Status != nil {
		parts = append(parts, "status="+string(*e.Status))
	}
	if e.Actions != nil {
		parts = append(parts, "actions="+*e.Actions)
	}
	if len(e.Flow) > 0 {
		parts = append(parts, "flow: "+strings.Join(e.Flow, " > "))
	}
	for _, p := range e.Pairs {
		if p.Scope(e.Scope) == aicf.ScopeSession || e.Scope != aicf.ScopeSession && p.Scope("") == aicf.ScopeSession {
			parts = append(parts, p.Key+"="+p.Value)
		}
	}
	if len(parts) == 0 {
		return "state of " + string(e.Scope)
	}
	return strings.Join(parts, "; ")
}
