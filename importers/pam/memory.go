package pam

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// platform is the spelling of the systems that memories come from.
var platform = pattern.New(`^[a-z0-9_-]{2,32}$`)

func types() []string {
	return []string{"fact", "preference", "skill", "context", "relationship", "goal", "instruction", "identity", "environment", "project", "custom"}
}

func statuses() []string {
	return []string{"active", "superseded", "deprecated", "retracted", "archived"}
}

// memory makes the record of a memory.
func (s *store) memory(c *codec.Checker) []memory.Record {
	if s.again[c.Pointer] {
		c.Fault(ruleMemory, "/id", errors.New("the id of an earlier memory; each has its own"))
		return nil
	}
	r, ok := record(c, s.owner)
	if !ok {
		return nil
	}
	switch hashed := c.Value.Get("content_hash").Text() == contentHash(r.Body.Text); {
	case hashed:
	case c.Options.Strict:
		c.Fault(ruleMemory, "/content_hash", errors.New("not that of the content in small letters, composed, with single blanks"))
	default:
		c.Drop("/content_hash", lossHash)
	}
	c.Known(ruleMemory, members()...)
	id := c.Value.Get("id").Text()
	residue := s.beside(r, c.Value)
	if list := s.relations[id]; len(list) > 0 {
		residue = residue.With("relations", canon.Array(list...))
		delete(s.relations, id)
	}
	if s.envelope.Type() == canon.TypeObject {
		residue = residue.With("envelope", s.envelope)
		s.envelope = canon.Value{}
	}
	if residue.Len() > 0 {
		r = codec.WithResidue(r, formatName, residue)
	}
	return []memory.Record{r}
}

// members lists the members of a memory (sections 4.1 to 4.3).
func members() []string {
	return []string{
		"id", "type", "custom_type", "status", "content", "content_hash", "summary", "tags", "confidence", "temporal", "provenance", "access",
		"embedding_ref", "metadata",
	}
}

// beside returns the residue of a memory: all but the words, or nothing if the record alone
// gives the same memory.
func (m maker) beside(r memory.Record, v canon.Value) canon.Value {
	if canon.Equal(m.render(r, ""), v) {
		return canon.Object()
	}
	return canon.Object(canon.Member{Name: "memory", Value: v.Without("content").Without("content_hash")})
}

// record makes a record of a memory of an owner (PAM-7); false: there is none.
func record(c *codec.Checker, owner string) (memory.Record, bool) {
	if !c.IsObject(ruleMemory) {
		return memory.Record{}, false
	}
	id, text, kind := c.Required(ruleMemory, "id"), c.Text(ruleMemory, "content"), kindOf(c)
	if !digest.MatchString(c.Name(ruleMemory, "content_hash")) {
		c.Fault(ruleMemory, "/content_hash", errors.New(`missing, or no hash, such as "sha256:" and 64 digits`))
	}
	from, ok := c.Object(ruleMemory, "provenance")
	if !ok || !platform.MatchString(from.Name(ruleMemory, "platform")) {
		c.Fault(ruleMemory, "/provenance/platform", errors.New(`missing, or no name in small letters, such as "chatgpt"`))
		return memory.Record{}, false
	}
	r := c.Draft(kind, text, from.Value.Get("platform").Text(), codec.RefPart(owner)+"/"+codec.RefPart(id))
	r.Scope.Session = from.Name(ruleMemory, "conversation_ref")
	codec.Tag(&r, c.Names(ruleMemory, "tags")...)
	times(c, &r)
	scores(c, &r)
	if kind == memory.Identity {
		r.Scope.Project = "" // the identity of a person does not depend on it
	} else if meta, ok := c.Object(ruleMemory, "metadata"); ok && r.Scope.Project == "" && meta.Value.Get("project").Type() == canon.TypeString {
		r.Scope.Project = meta.Name(ruleMemory, "project")
	}
	if access, ok := c.Object(ruleMemory, "access"); ok && access.Value.Get("exportable").Type() == canon.TypeBool && !access.Value.Get("exportable").True() {
		no := false
		r.Consent = &memory.Consent{Exportable: &no}
	}
	if strings.TrimSpace(text) == "" {
		c.Drop("", lossBlank)
		return memory.Record{}, false
	}
	return r, true
}

// kindOf returns the kind of a memory by its type.
func kindOf(c *codec.Checker) memory.Kind {
	typ, custom := c.Name(ruleMemory, "type"), c.Name(ruleMemory, "custom_type")
	switch {
	case !slices.Contains(types(), typ):
		c.Fault(ruleMemory, "/type", fmt.Errorf("none of the types of memories: %s", strings.Join(types(), ", ")))
	case (typ == "custom") != (custom != ""):
		c.Fault(ruleMemory, "/custom_type", errors.New("there for memories of type custom, and for no others"))
	}
	switch {
	case typ == "identity":
		return memory.Identity
	case typ == "instruction":
		return memory.Procedural
	case typ == "context":
		return memory.Working
	case typ == "custom" && custom == string(memory.Episodic):
		return memory.Episodic
	}
	return memory.Semantic
}

// times reads when a memory was made, and its valid time. Superseded, retracted and
// archived memories have ended.
func times(c *codec.Checker, r *memory.Record) {
	status := c.Name(ruleMemory, "status")
	if status != "" && !slices.Contains(statuses(), status) {
		c.Fault(ruleMemory, "/status", fmt.Errorf("none of the states of a memory: %s", strings.Join(statuses(), ", ")))
	}
	t, ok := c.Object(ruleMemory, "temporal")
	if !ok {
		c.Fault(ruleMemory, "/temporal", errors.New("missing; an object is wanted"))
		return
	}
	created, updated := t.Instant(ruleMemory, "created_at"), t.Instant(ruleMemory, "updated_at")
	if created.IsZero() {
		t.Fault(ruleMemory, "/created_at", errors.New("missing; a date and time is wanted"))
	}
	from, until := t.Instant(ruleMemory, "valid_from"), t.Instant(ruleMemory, "valid_until")
	t.Name(ruleMemory, "superseded_by")
	if !until.IsZero() && until.Before(from) {
		t.Fault(ruleMemory, "/valid_until", errors.New("before valid_from"))
	}
	r.Time = memory.Times{Created: created.UTC(), ValidFrom: from.UTC(), ValidTo: until.UTC()}
	switch status {
	case "superseded", "retracted", "archived":
		if until.IsZero() || !updated.IsZero() && updated.Before(until) {
			r.Time.ValidTo = codec.Latest(created, updated, from).UTC()
		}
	}
}

// scores reads how certain the source is of a memory.
func scores(c *codec.Checker, r *memory.Record) {
	conf, ok := c.Object(ruleMemory, "confidence")
	if !ok {
		return
	}
	for _, member := range []string{"initial", "current"} {
		v := conf.Value.Get(member)
		f := v.Float()
		switch {
		case v.Type() == canon.TypeUndefined:
		case v.Type() != canon.TypeNumber || f < 0 || f > 1:
			conf.Fault(ruleMemory, "/"+member, errors.New("no number from 0 to 1"))
		case member == "current":
			r.Lifecycle.Confidence = &f
		}
	}
	r.Lifecycle.Decay = conf.Name(ruleMemory, "decay_model")
}

// remapped makes the record of one memory again, as the reader does.
func remapped(v canon.Value, owner memory.DID, whose string) (r memory.Record, ok bool) {
	in := &codec.JSONReader{Rules: rules, Owned: ruleDraft, Options: codec.Options{Owner: owner, Limits: codec.Limits{}.Filled()}}
	found := in.One(v, func(c *codec.Checker) { r, ok = record(c, whose) })
	return r, ok && len(found) == 0
}
