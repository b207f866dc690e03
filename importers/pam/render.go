package pam

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// label is the spelling of tags.
var label = pattern.New(`^[a-z0-9][a-z0-9_-]*$`)

// rendered returns the memory of a record, and its owner: the memory that the record comes
// from, with the changes since, or a new one.
func (w *writer) rendered(r memory.Record, residue canon.Value) (v canon.Value, whose string) {
	whose = string(w.owner)
	if from, _ := cameFrom(r); from != "" {
		whose = from
	}
	said := residue.Get("memory")
	if said.Type() == canon.TypeObject {
		said = said.With("content", canon.String(r.Body.Text)).With("content_hash", canon.String(contentHash(r.Body.Text)))
		if was, ok := remapped(said, w.owner, whose); ok {
			v, _ = codec.Reconcile(said, w.render(was, ""), w.render(r, ""))
			if !w.ids[v.Get("id").Text()] && !w.ended(r) || w.ended(was) {
				return w.unique(r, v), whose
			}
			return w.unique(r, v.With("id", canon.String(string(r.ID)))), whose
		}
	}
	return w.unique(r, w.render(r, string(r.ID))), whose
}

// cameFrom returns the owner and id of a record's memory, if it comes from PAM.
func cameFrom(r memory.Record) (owner, id string) {
	if r.Provenance == nil || r.Provenance.Method != formatName || r.Provenance.Source == nil {
		return "", ""
	}
	owner, id, _ = strings.Cut(r.Provenance.Source.Ref, "/")
	undo := strings.NewReplacer("%2F", "/", "%23", "#", "%25", "%")
	return undo.Replace(owner), undo.Replace(id)
}

// unique gives a memory an id that no other has.
func (w *writer) unique(r memory.Record, v canon.Value) canon.Value {
	id := v.Get("id").Text()
	if id != "" && !w.ids[id] {
		return v
	}
	if id = string(r.ID); id == "" {
		id = contentHash(r.Body.Text)
	}
	base := id
	for n := 2; w.ids[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	return v.With("id", canon.String(id))
}

// ended reports whether a record's valid time is over.
func (m maker) ended(r memory.Record) bool {
	end := r.Time.ValidTo
	return !end.IsZero() && (m.now.IsZero() || !m.now.Before(end)) || end.IsZero() && len(r.SupersededBy) > 0
}

// maker makes memories of records.
type maker struct{ now time.Time } // zero: every valid time that has an end is over

func newMaker(opt codec.Options) (m maker) {
	if opt.Now != nil {
		m.now = opt.Now()
	}
	return m
}

// render makes a memory from a record alone. Its id is the one that it had in PAM, or else
// the given one.
func (m maker) render(r memory.Record, id string) canon.Value {
	v := canon.Object()
	if _, known := cameFrom(r); known != "" {
		id = known
	}
	if id != "" {
		v = v.With("id", canon.String(id))
	}
	v = v.With("type", canon.String(typeOf(r.Kind)))
	if r.Kind == memory.Episodic {
		v = v.With("custom_type", canon.String(string(memory.Episodic)))
	}
	status := "active"
	switch {
	case m.ended(r) && len(r.SupersededBy) > 0:
		status = "superseded"
	case m.ended(r):
		status = "archived"
	}
	v = v.With("status", canon.String(status)).With("content", canon.String(r.Body.Text)).With("content_hash", canon.String(contentHash(r.Body.Text)))
	if tags := tagsOf(r); len(tags) > 0 {
		v = v.With("tags", canon.Array(tags...))
	}
	if score := scoresOf(r); score.Len() > 0 {
		v = v.With("confidence", score)
	}
	v = v.With("temporal", temporalOf(r)).With("provenance", provenanceOf(r)).With("access", accessOf(r))
	if r.Scope.Project != "" && r.Kind != memory.Identity {
		v = v.With("metadata", canon.Object(canon.Member{Name: "project", Value: canon.String(r.Scope.Project)}))
	}
	return v
}

func typeOf(kind memory.Kind) string {
	switch kind {
	case memory.Identity:
		return "identity"
	case memory.Procedural:
		return "instruction"
	case memory.Working:
		return "context"
	case memory.Episodic:
		return "custom"
	}
	return "fact"
}

// tagsOf returns those tags of a record that PAM allows.
func tagsOf(r memory.Record) (tags []canon.Value) {
	if !codec.Mentions(r, "tags") { // nearly every record, which is not parsed
		return nil
	}
	var seen []string
	for _, tag := range codec.Structured(r).Get("tags").Items() {
		if text := tag.Text(); label.MatchString(text) && !slices.Contains(seen, text) {
			tags, seen = append(tags, tag), append(seen, text)
		}
	}
	return tags
}

func scoresOf(r memory.Record) canon.Value {
	v := canon.Object()
	if c := r.Lifecycle.Confidence; c != nil {
		v = v.With("current", canon.Number(*c))
	}
	if d := r.Lifecycle.Decay; slices.Contains([]string{"time_linear", "time_exponential", "none"}, d) {
		v = v.With("decay_model", canon.String(d))
	}
	return v
}

func temporalOf(r memory.Record) canon.Value {
	v := canon.Object(canon.Member{Name: "created_at", Value: instant(r.Time.Created)})
	if !r.Time.ValidFrom.IsZero() {
		v = v.With("valid_from", instant(r.Time.ValidFrom))
	}
	if !r.Time.ValidTo.IsZero() {
		v = v.With("valid_until", instant(r.Time.ValidTo))
	}
	return v
}

func instant(at time.Time) canon.Value {
	return canon.String(at.UTC().Format(time.RFC3339Nano))
}

func provenanceOf(r memory.Record) canon.Value {
	name, method := "local", ""
	if p := r.Provenance; p != nil {
		if p.Source != nil && platform.MatchString(p.Source.Provider) {
			name = p.Source.Provider
		}
		switch p.ActorKind {
		case memory.ByUser:
			method = "explicit_user_input"
		case memory.ByAgent, memory.ByModel:
			method = "llm_inference"
		}
	}
	v := canon.Object(canon.Member{Name: "platform", Value: canon.String(name)})
	if r.Scope.Session != "" {
		v = v.With("conversation_ref", canon.String(r.Scope.Session))
	}
	if method != "" {
		v = v.With("extraction_method", canon.String(method))
	}
	return v
}

func accessOf(r memory.Record) canon.Value {
	visibility := r.Scope.Visibility
	if !visibility.Valid() {
		visibility = memory.Private
	}
	exportable := r.Consent == nil || r.Consent.Exportable == nil || *r.Consent.Exportable
	return canon.Object(
		canon.Member{Name: "visibility", Value: canon.String(string(visibility))},
		canon.Member{Name: "exportable", Value: canon.Bool(exportable)},
	)
}
