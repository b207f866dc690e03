package ump

import (
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// render writes the members of a record as a tree, in the order of new records. It
// leaves out empty members. It looks at neither Origin nor Current; recordOf is its
// inverse.
func render(r *memory.Record) (canon.Value, error) {
	body, err := renderBody(&r.Body)
	if err != nil {
		return canon.Value{}, err
	}
	m := make(members, 0, len(recordShape))
	m.text("ump", r.Version)
	m.text("id", string(r.ID))
	m.text("kind", string(r.Kind))
	m.object("scope", renderScope(&r.Scope))
	m.object("time", renderTime(&r.Time))
	m.object("lifecycle", renderLifecycle(&r.Lifecycle))
	m.texts("supersedes", len(r.Supersedes), func(i int) string { return string(r.Supersedes[i]) })
	m.texts("superseded_by", len(r.SupersededBy), func(i int) string { return string(r.SupersededBy[i]) })
	m.value("relations", renderRelations(r.Relations))
	m.value("provenance", renderProvenance(r.Provenance))
	m.value("consent", renderConsent(r.Consent))
	m.value("integrity", renderIntegrity(r.Integrity))
	m.value("body", body)
	return canon.Object(m...), nil
}

func renderBody(b *memory.Body) (canon.Value, error) {
	var m members
	m.text("text", b.Text)
	if b.Structured != nil {
		s, err := renderStructured(b.Structured)
		if err != nil {
			return canon.Value{}, err
		}
		m.value("structured", s)
	}
	return canon.Object(m...), nil
}

func renderStructured(raw json.RawMessage) (canon.Value, error) {
	v, err := canon.Parse(raw, canon.Options{Bytes: int64(len(raw))})
	if err != nil {
		e := asParseError(fromCanon(err, formatName, ""))
		e.Path = "/body/structured" + e.Path
		return canon.Value{}, e
	}
	if v.Type() != canon.TypeObject {
		var f findings
		f.add("UMP-2-7", "/body/structured", "is not an object")
		return canon.Value{}, f.err()
	}
	return v, nil
}

func renderScope(s *memory.Scope) members {
	m := make(members, 0, len(scopeShape))
	m.text("owner", string(s.Owner))
	m.text("user", s.User)
	m.text("project", s.Project)
	m.text("agent", s.Agent)
	m.text("session", s.Session)
	m.text("visibility", string(s.Visibility))
	return m
}

func renderTime(t *memory.Times) members {
	m := make(members, 0, len(timeShape))
	m.instant("created", t.Created)
	m.instant("observed", t.Observed)
	m.instant("valid_from", t.ValidFrom)
	m.instant("valid_to", t.ValidTo)
	return m
}

func renderLifecycle(l *memory.Lifecycle) members {
	m := make(members, 0, len(lifecycleShape))
	m.number("confidence", l.Confidence)
	m.number("salience", l.Salience)
	m.text("decay", l.Decay)
	m.text("status", string(l.Status))
	return m
}

func renderRelations(relations []memory.Relation) canon.Value {
	if len(relations) == 0 {
		return canon.Value{}
	}
	items := make([]canon.Value, len(relations))
	for i, r := range relations {
		items[i] = canon.Object(
			canon.Member{Name: "type", Value: canon.String(r.Type)},
			canon.Member{Name: "target", Value: canon.String(r.Target)})
	}
	return canon.Array(items...)
}

func renderProvenance(p *memory.Provenance) canon.Value {
	if p == nil {
		return canon.Value{}
	}
	m := make(members, 0, len(provenanceShape))
	m.text("actor", p.Actor)
	m.text("actor_kind", string(p.ActorKind))
	m.text("method", p.Method)
	if p.Source != nil {
		var s members
		s.text("ref", p.Source.Ref)
		s.text("provider", p.Source.Provider)
		m.value("source", canon.Object(s...))
	}
	if len(p.Evidence) > 0 {
		items := make([]canon.Value, len(p.Evidence))
		for i, e := range p.Evidence {
			item := members{{Name: "ref", Value: canon.String(e.Ref)}}
			item.number("weight", e.Weight)
			items[i] = canon.Object(item...)
		}
		m.value("evidence", canon.Array(items...))
	}
	return canon.Object(m...)
}

func renderConsent(c *memory.Consent) canon.Value {
	if c == nil {
		return canon.Value{}
	}
	var m members
	m.text("retention", c.Retention)
	if c.Exportable != nil {
		m.value("exportable", canon.Bool(*c.Exportable))
	}
	m.texts("redact", len(c.Redact), func(i int) string { return c.Redact[i] })
	return canon.Object(m...)
}

func renderIntegrity(i *memory.Integrity) canon.Value {
	if i == nil {
		return canon.Value{}
	}
	return canon.Object(
		canon.Member{Name: "content_hash", Value: canon.String(i.ContentHash)},
		canon.Member{Name: "signature", Value: canon.String(i.Signature)},
		canon.Member{Name: "signer", Value: canon.String(string(i.Signer))})
}

// members collects the members of an object. Its methods skip empty values.
type members []canon.Member

func (m *members) value(name string, v canon.Value) {
	if v.Type() != canon.TypeUndefined {
		*m = append(*m, canon.Member{Name: name, Value: v})
	}
}

func (m *members) object(name string, inner members) {
	if len(inner) > 0 {
		m.value(name, canon.Object(inner...))
	}
}

func (m *members) text(name, s string) {
	if s != "" {
		m.value(name, canon.String(s))
	}
}

func (m *members) texts(name string, n int, text func(i int) string) {
	if n == 0 {
		return
	}
	items := make([]canon.Value, n)
	for i := range items {
		items[i] = canon.String(text(i))
	}
	m.value(name, canon.Array(items...))
}

func (m *members) number(name string, n *float64) {
	if n != nil {
		m.value(name, canon.Number(*n))
	}
}

func (m *members) instant(name string, t time.Time) {
	if !t.IsZero() {
		m.value(name, canon.String(writeInstant(t)))
	}
}
