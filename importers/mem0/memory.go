package mem0

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The members of the residue.
const (
	residueItem     = "item"
	residueRelation = "relation"
	residueDocument = "document"
)

// refPrefix precedes the id of a memory in its reference.
const refPrefix = formatName + "/"

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// memory makes a record of an item, unless it is blank.
func (d *document) memory(c *codec.Checker) []memory.Record {
	it := itemIn(c)
	if c.Value.Has("score") {
		c.Drop("/score", lossScore)
	}
	switch {
	case it.deleted():
		c.Drop("", lossDeleted)
		return nil
	case blank(it.text):
		c.Drop("", lossBlank)
		return nil
	}
	return d.withDocument(it.record(d.JSONReader, c.Date(it.created), d.name+"#"+c.Pointer))
}

// deleted reports whether an item is the event of a deleted memory.
func (it item) deleted() bool { return it.value.Get("event").Text() == "DELETE" }

// relation makes a record of a relation.
func (d *document) relation(c *codec.Checker) []memory.Record {
	return d.withDocument(relationIn(c).record(d.JSONReader, c.Date(time.Time{}), d.name+"#"+c.Pointer))
}

// withDocument adds the document's other members to the first record, unless the writer
// would write them anyway.
func (d *document) withDocument(r memory.Record) []memory.Record {
	if !d.Options.Apart && d.first && !canon.Identical(d.whole, canon.Object(canon.Member{Name: "results", Value: canon.Array()})) {
		r = withDocument(r, d.whole)
	}
	d.first = false
	return []memory.Record{r}
}

func withDocument(r memory.Record, whole canon.Value) memory.Record {
	residue, _ := codec.Residue(r, formatName)
	if residue.Type() != canon.TypeObject {
		residue = canon.Object()
	}
	return codec.WithResidue(r, formatName, residue.With(residueDocument, whole))
}

// record makes a record of an item; place names an item without an id.
func (it item) record(in *codec.JSONReader, when time.Time, place string) memory.Record {
	if it.id != "" {
		place = refPrefix + it.id
	}
	r := in.Draft(memory.Semantic, it.text, formatName, place)
	r.Scope.User, r.Scope.Agent, r.Scope.Session = it.user, it.agent, it.run
	r.Time.Created, r.Time.ValidTo = when, it.expires
	codec.Tag(&r, it.categories...)
	if canon.Identical(show(r, "memory", false), it.value) {
		return r
	}
	return codec.WithResidue(r, formatName, canon.Object(canon.Member{Name: residueItem, Value: it.value}))
}

// record makes a record of a relation.
func (rel relation) record(in *codec.JSONReader, when time.Time, place string) memory.Record {
	r := in.Draft(memory.Semantic, rel.sentence(), formatName, place)
	r.Time.Created = when
	codec.About(&r, rel.source, rel.end)
	return codec.WithResidue(r, formatName, canon.Object(canon.Member{Name: residueRelation, Value: rel.value}))
}

// show returns the parts of an item that a record shows, with its text under the given
// name, or as the memory within it.
func show(r memory.Record, text string, within bool) canon.Value {
	var members []canon.Member
	say := func(name, s string) {
		if s != "" {
			members = append(members, canon.Member{Name: name, Value: canon.String(s)})
		}
	}
	say("id", idOf(r))
	if within {
		members = append(members, canon.Member{Name: text, Value: canon.Object(canon.Member{Name: "memory", Value: canon.String(r.Body.Text)})})
	} else {
		say(text, r.Body.Text)
	}
	if tags := tagsOf(r); tags.Len() > 0 {
		members = append(members, canon.Member{Name: "categories", Value: tags})
	}
	say("created_at", r.Time.Created.UTC().Format(time.RFC3339Nano))
	if end := r.Time.ValidTo.UTC(); !end.IsZero() && end.Equal(end.Truncate(24*time.Hour)) {
		say("expiration_date", end.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	say("user_id", r.Scope.User)
	say("agent_id", r.Scope.Agent)
	say("run_id", r.Scope.Session)
	return canon.Object(members...)
}

// idOf returns the id of a memory in Mem0, or else the record's own id.
func idOf(r memory.Record) string {
	if p := r.Provenance; p != nil && p.Source != nil && p.Source.Provider == formatName {
		if id, ok := strings.CutPrefix(p.Source.Ref, refPrefix); ok {
			return id
		}
	}
	return string(r.ID)
}

// tagsOf returns the categories of a record; the undefined value: it has none.
func tagsOf(r memory.Record) canon.Value {
	tags := codec.Structured(r).Get("tags")
	if tags.Type() != canon.TypeArray {
		return canon.Value{}
	}
	for _, tag := range tags.Items() {
		if tag.Type() != canon.TypeString {
			return canon.Value{}
		}
	}
	return tags
}
